//! Writes a file of another program, and applies the edit anew when that program was faster.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{
    CreateError, ReadError, RealFs, RemoveError, ReplaceError, create_new, ensure_dir, lock,
    remove, replace,
};

use super::error::InstallError;
use crate::review::WriteError;

const PATIENCE: Duration = Duration::from_secs(5);
const TRIES: usize = 100;

/// What an edit makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is as it should be.
    Same,
    /// It is left alone, for this reason.
    Keep(&'static str),
    /// It is to hold this.
    Write(Vec<u8>),
    /// It is to go.
    Remove,
}

/// An edit of a file, which may not be there.
pub(super) type Edit<'a> = &'a dyn Fn(Option<&[u8]>) -> Result<Outcome, InstallError>;

/// What was done to a file.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) before: Option<Vec<u8>>,
    pub(super) outcome: Outcome,
    /// The directories that were made, the innermost last.
    pub(super) dirs: Vec<PathBuf>,
}

/// Reads a file that may not be there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, InstallError> {
    match skein_store::read(path) {
        Ok(snapshot) => Ok(Some(snapshot.bytes)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns what an edit would do.
pub(super) fn plan(path: &Path, edit: Edit<'_>) -> Result<Done, InstallError> {
    let before = read(path)?;
    let outcome = edit(before.as_deref())?;
    let dirs = if matches!(outcome, Outcome::Write(_)) { missing_dirs(path) } else { Vec::new() };
    Ok(Done { before, outcome, dirs })
}

/// Returns the directories above a file that are not there, the innermost last.
fn missing_dirs(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| !dir.exists());
    let mut dirs: Vec<PathBuf> = above.map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}

/// Does what an edit wants; a file that is made gets `mode`.
pub(super) fn apply(path: &Path, mode: u32, edit: Edit<'_>) -> Result<Done, InstallError> {
    let planned = plan(path, edit)?;
    if matches!(planned.outcome, Outcome::Same | Outcome::Keep(_)) {
        return Ok(planned);
    }
    let dir = path.parent().unwrap_or(path);
    let dirs = planned.dirs;
    ensure_dir(&RealFs, dir, 0o777)?;
    let guard = lock(&RealFs, dir, PATIENCE)?;
    for _ in 0..TRIES {
        let old = match skein_store::read(path) {
            Ok(snapshot) => Some(snapshot),
            Err(ReadError::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let outcome = edit(old.as_ref().map(|old| old.bytes.as_slice()))?;
        let is_done = match (&outcome, &old) {
            (Outcome::Same | Outcome::Keep(_), _) | (Outcome::Remove, None) => true,
            (Outcome::Write(bytes), Some(old)) => {
                match replace(&RealFs, &guard, path, &old.revision, bytes) {
                    Err(ReplaceError::Conflict { .. }) => false,
                    done => done.map(|()| true)?,
                }
            }
            (Outcome::Write(bytes), None) => match create_new(&RealFs, &guard, path, bytes, mode) {
                Err(CreateError::Exists { .. }) => false,
                done => done.map(|_| true)?,
            },
            (Outcome::Remove, Some(old)) => match remove(&RealFs, &guard, path, &old.revision) {
                Err(RemoveError::Conflict { .. }) => false,
                done => done.map(|()| true)?,
            },
        };
        if is_done {
            return Ok(Done { before: old.map(|old| old.bytes), outcome, dirs });
        }
    }
    Err(WriteError::Busy { path: path.to_owned() }.into())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Plays a program that takes no lock and writes between two of our steps.
    #[expect(clippy::disallowed_methods, reason = "what a foreign program does")]
    fn foreign(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn an_edit_is_applied_anew_when_another_program_was_faster() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/settings.json");
        let calls = Cell::new(0);
        let edit = |old: Option<&[u8]>| {
            calls.set(calls.get() + 1);
            // The first call is the plan; then the file is read under the lock.
            if matches!(calls.get(), 2 | 3) {
                foreign(&path, &format!("theirs {}\n", calls.get()));
            }
            let text = [old.unwrap_or_default(), b"ours\n"].concat();
            Ok(Outcome::Write(text))
        };
        let done = apply(&path, 0o666, &edit).unwrap();
        assert_eq!(calls.get(), 4);
        assert_eq!(done.before.as_deref(), Some(b"theirs 3\n".as_slice()));
        assert_eq!(done.dirs, [dir.path().join("sub")]);
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs 3\nours\n");
    }
}

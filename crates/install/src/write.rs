//! Writes a file of another program, and applies the edit again when that program wrote meanwhile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{Edit, ReadError, ensure_dir, lock};
use skein_workspace::Env;
use skein_workspace::update::Document;

use super::error::InstallError;

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// What an edit makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EditOutcome {
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
pub(super) type EditSettings<'a> = &'a dyn Fn(Option<&[u8]>) -> Result<EditOutcome, InstallError>;

/// What was done to a file.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) before: Option<Vec<u8>>,
    pub(super) outcome: EditOutcome,
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
pub(super) fn plan(path: &Path, edit: EditSettings<'_>) -> Result<Done, InstallError> {
    let before = read(path)?;
    let outcome = edit(before.as_deref())?;
    let dirs =
        if matches!(outcome, EditOutcome::Write(_)) { missing_dirs(path) } else { Vec::new() };
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
///
/// What another program writes at the same moment is kept in the trash, and reported by `skein doctor`.
pub(super) fn apply(
    env: &Env,
    path: &Path,
    mode: u32,
    edit: EditSettings<'_>,
) -> Result<Done, InstallError> {
    let planned = plan(path, edit)?;
    if matches!(planned.outcome, EditOutcome::Same | EditOutcome::Keep(_)) {
        return Ok(planned);
    }
    let dir = path.parent().unwrap_or(path);
    ensure_dir(&*env.fs, dir, 0o777)?;
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT)?;
    // What a settings file of another program must hold to be whole is known to that program alone.
    let updated = Document::new(&guard, path, mode).update(env, |old| {
        let outcome = edit(old)?;
        Ok::<_, InstallError>(match outcome.clone() {
            EditOutcome::Same | EditOutcome::Keep(_) => Edit::Keep(outcome),
            EditOutcome::Write(bytes) => Edit::Write(bytes, outcome),
            EditOutcome::Remove => Edit::Remove(outcome),
        })
    })?;
    Ok(Done { before: updated.before, outcome: updated.value, dirs: planned.dirs })
}

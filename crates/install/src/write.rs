//! Edits a file of another program, and repeats the edit if that program writes the file at the same time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{Edit, ReadError, ensure_dir, lock};
use skein_workspace::Env;
use skein_workspace::update::Document;

use super::error::{InstallError, InstallResult};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EditOutcome {
    /// The file is up to date.
    Same,
    /// The file is not changed, for this reason.
    Keep(&'static str),
    Write(Vec<u8>),
    Remove,
}

/// An edit of a file, which may not exist.
pub(super) type EditSettings<'a> = &'a dyn Fn(Option<&[u8]>) -> InstallResult<EditOutcome>;

/// A planned or completed edit of a file.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) before: Option<Vec<u8>>,
    pub(super) outcome: EditOutcome,
    /// The directories that are created for the file, the innermost last.
    pub(super) dirs: Vec<PathBuf>,
}

/// Reads a file that may not exist.
pub(super) fn read(path: &Path) -> InstallResult<Option<Vec<u8>>> {
    match skein_store::read(path) {
        Ok(snapshot) => Ok(Some(snapshot.bytes)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the planned edit, without writing.
pub(super) fn plan(path: &Path, edit: EditSettings<'_>) -> InstallResult<Done> {
    let before = read(path)?;
    let outcome = edit(before.as_deref())?;
    let dirs =
        if matches!(outcome, EditOutcome::Write(_)) { missing_dirs(path) } else { Vec::new() };
    Ok(Done { before, outcome, dirs })
}

/// Returns the missing directories above a file, the innermost last.
fn missing_dirs(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| !dir.exists());
    let mut dirs: Vec<PathBuf> = above.map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}

/// Edits a file; a new file gets `mode`.
///
/// If another program writes the file at the same time, its version is kept in the trash and reported by `skein doctor`.
pub(super) fn apply(
    env: &Env,
    path: &Path,
    mode: u32,
    edit: EditSettings<'_>,
) -> InstallResult<Done> {
    let planned = plan(path, edit)?;
    if matches!(planned.outcome, EditOutcome::Same | EditOutcome::Keep(_)) {
        return Ok(planned);
    }
    let dir = path.parent().unwrap_or(path);
    ensure_dir(&*env.fs, dir, 0o777)?;
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT)?;
    // Any content counts as complete: Skein does not know the formats of other programs.
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

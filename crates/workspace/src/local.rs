//! The directory `.skein` of a worktree, for an agent that cannot write elsewhere.
//!
//! A sandbox may restrict an agent to its worktree: then neither the state directory in the user's home nor the store of checkpoints in
//! the main checkout is writable. Their files are written to `.skein`, which git ignores, and the next command outside the sandbox moves
//! them (`checkpoints::catch_up`).
//!
//! A repository could contain such a directory to inject threads. So Skein records the inode and creation time of the directory in it,
//! which no commit can contain; any other directory is not used.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use skein_git::RepoDirs;
use skein_store::{CreateError, Fs, create_new, ensure_dir, file_id, lock};

use crate::file_error::{FileError, wrap_file_errors};

/// The name of the directory at the top of a worktree.
const NAME: &str = ".skein";
/// The file that identifies the directory for which it was created.
const MARK: &str = "directory";
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Why the directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// It was not created by Skein on this machine.
    #[error("this directory was not created by Skein on this machine: {}", path.display())]
    Foreign { path: PathBuf },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(LocalError);

/// Returns the `.skein` directory of a worktree.
pub fn dir(top: &Path) -> PathBuf {
    top.join(NAME)
}

/// Returns the directory of the pending checkpoints of a worktree.
pub fn checkpoints(top: &Path) -> PathBuf {
    dir(top).join("checkpoints")
}

/// Returns the directory for state, below a `.skein` directory.
pub fn state(dir: &Path) -> PathBuf {
    dir.join("state")
}

/// Creates the directory of the pending checkpoints of a worktree.
pub fn ensure_checkpoints(fs: &dyn Fs, checkpoints: &Path) -> Result<(), LocalError> {
    let top = checkpoints.parent().and_then(Path::parent).unwrap_or(checkpoints);
    ensure(fs, top)?;
    Ok(ensure_dir(fs, checkpoints, 0o700)?)
}

/// Returns the directory of the original versions of pending checkpoints.
pub fn bases(checkpoints: &Path) -> PathBuf {
    checkpoints.with_file_name("bases")
}

/// Returns the `.skein` directory of a worktree if it exists and Skein created it.
pub fn existing(top: &Path) -> Option<PathBuf> {
    let dir = dir(top);
    let content = skein_store::read(&dir.join(MARK)).ok()?.bytes;
    (content == mark(&dir)?.as_bytes()).then_some(dir)
}

/// Creates the `.skein` directory of a worktree if it is missing, with a `.gitignore` first.
pub(crate) fn ensure(fs: &dyn Fs, top: &Path) -> Result<PathBuf, LocalError> {
    let dir = dir(top);
    if existing(top).is_some() {
        return Ok(dir);
    }
    ensure_dir(fs, &dir, 0o700)?;
    let guard = lock(fs, &dir, LOCK_TIMEOUT)?;
    let foreign = || LocalError::Foreign { path: dir.clone() };
    match create_new(fs, &guard, &dir.join(".gitignore"), b"*\n", 0o600) {
        // Left over from a crash.
        Err(CreateError::Exists { .. }) => {}
        created => drop(created?),
    }
    match create_new(fs, &guard, &dir.join(MARK), mark(&dir).ok_or_else(foreign)?.as_bytes(), 0o600)
    {
        Err(CreateError::Exists { .. }) => existing(top).ok_or_else(foreign),
        created => created.map(|_| dir).map_err(LocalError::from),
    }
}

/// Returns the text that distinguishes a directory from a copy: its inode and, if known, its creation time.
fn mark(dir: &Path) -> Option<String> {
    let meta = dir.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    let born = meta.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    Some(format!("{} {}\n", file_id(&meta).1, born.unwrap_or_default().as_nanos()))
}

/// Creates a state directory in the worktree around `dir`, for a user whose own state directory is read-only.
///
/// None if there is no worktree, or if it is read-only too.
pub fn state_in_worktree(fs: &dyn Fs, dir: &Path) -> Option<PathBuf> {
    let top = RepoDirs::discover(dir).ok().flatten()?.top?;
    Some(state(&ensure(fs, &top).ok()?))
}

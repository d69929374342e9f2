//! The directory `.skein` of a worktree, for an agent that cannot write elsewhere.
//!
//! A sandbox may restrict an agent to its worktree: then neither the state directory in the user's home nor the store of checkpoints in
//! the main checkout is writable. Their files are written to `.skein`, which git ignores, and the next command outside the sandbox moves
//! them (`checkpoints::catch_up`).
//!
//! A repository could contain such a directory to inject threads. So Skein records the inode and creation time of the directory in it,
//! which no commit can contain; any other directory is not used.
//!
//! The agent can write anything into its directory. So a process outside the sandbox reads it only as a [`SandboxDir`].

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use skein_git::RepoDirs;
use skein_store::{
    CreateError, Fs, OpenDir, ReadError, RootDirs, create_new, ensure_dir, file_id, lock,
};

use crate::file_error::{FileError, wrap_file_errors};

/// The name of the directory at the top of a worktree.
const NAME: &str = ".skein";
/// The file that identifies the directory for which it was created.
const MARK: &str = "directory";
const CHECKPOINTS: &str = "checkpoints";
const BASES: &str = "bases";
const STATE: &str = "state";
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
    dir(top).join(CHECKPOINTS)
}

/// What a sandboxed agent left in its worktree, for a process outside the sandbox.
///
/// It is the agent's word about this worktree. No symbolic link is followed, and no state of the user is read from there: no drafts, no
/// consent, and no records that count as the user's.
#[derive(Debug)]
pub struct SandboxDir(OpenDir);

impl SandboxDir {
    /// Opens the `.skein` directory of a worktree, if it exists and Skein created it.
    pub fn open(top: &Path) -> Option<Self> {
        let dir = OpenDir::open(&dir(top)).ok()?;
        let mark = mark(&dir.metadata().ok()?);
        (dir.read(MARK).ok()? == mark.as_bytes()).then_some(Self(dir))
    }

    /// Opens the directory of the pending checkpoints; none if there is none.
    pub fn checkpoints(&self) -> Result<Option<OpenDir>, ReadError> {
        existing_dir(self.0.dir(CHECKPOINTS))
    }

    /// Opens the directory of the original versions of pending checkpoints; none if there is none.
    pub fn bases(&self) -> Result<Option<OpenDir>, ReadError> {
        existing_dir(self.0.dir(BASES))
    }

    /// Removes the directories of pending checkpoints that are empty.
    pub fn remove_empty_checkpoints(&self) {
        // One that is missing or not empty is kept.
        drop(self.checkpoints().map(|dir| dir.map(|dir| dir.remove_dir("resume-locks"))));
        drop([CHECKPOINTS, BASES].map(|name| self.0.remove_dir(name)));
    }

    /// Opens a directory of what the agent recorded about a root in the worktree; none if there is none.
    pub fn records(&self, root: &RootDirs, name: &str) -> Result<Option<OpenDir>, ReadError> {
        let Some(root) = root.state.file_name() else { return Ok(None) };
        existing_dir(self.0.dir(Path::new(STATE).join(root).join(name)))
    }
}

fn existing_dir(dir: Result<OpenDir, ReadError>) -> Result<Option<OpenDir>, ReadError> {
    match dir {
        Err(ReadError::NotFound { .. }) => Ok(None),
        dir => dir.map(Some),
    }
}

/// Creates the directory of the pending checkpoints of a worktree.
pub fn ensure_checkpoints(fs: &dyn Fs, checkpoints: &Path) -> Result<(), LocalError> {
    let top = checkpoints.parent().and_then(Path::parent).unwrap_or(checkpoints);
    ensure(fs, top)?;
    Ok(ensure_dir(fs, checkpoints, 0o700)?)
}

/// Returns the directory of the original versions of pending checkpoints.
pub fn bases(checkpoints: &Path) -> PathBuf {
    checkpoints.with_file_name(BASES)
}

/// Returns the `.skein` directory of a worktree if it exists and Skein created it.
fn existing(top: &Path) -> Option<PathBuf> {
    SandboxDir::open(top).map(|_| dir(top))
}

/// Returns whether the directory of the pending checkpoints of a worktree can be created or used.
pub(crate) fn is_usable(top: &Path) -> bool {
    match SandboxDir::open(top) {
        Some(dir) => dir.checkpoints().is_ok(),
        None => dir(top).symlink_metadata().is_err(),
    }
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
    let meta = dir.symlink_metadata().ok().filter(Metadata::is_dir).ok_or_else(foreign)?;
    match create_new(fs, &guard, &dir.join(MARK), mark(&meta).as_bytes(), 0o600) {
        Err(CreateError::Exists { .. }) => existing(top).ok_or_else(foreign),
        created => created.map(|_| dir).map_err(LocalError::from),
    }
}

/// Returns the text that distinguishes a directory from a copy: its inode and, if known, its creation time.
pub(crate) fn mark(meta: &Metadata) -> String {
    let born = meta.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    format!("{} {}\n", file_id(meta).1, born.unwrap_or_default().as_nanos())
}

/// Creates a state directory in the worktree around `dir`, for a user whose own state directory is read-only.
///
/// None if there is no worktree, or if it is read-only too.
pub fn state_in_worktree(fs: &dyn Fs, dir: &Path) -> Option<PathBuf> {
    let top = RepoDirs::discover(dir).ok().flatten()?.top?;
    Some(ensure(fs, &top).ok()?.join(STATE))
}

//! Locks a store of checkpoints, and checks which paths may be written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{CreateError, DirLock, ReadError, create_new, ensure_dir, lock, read, replace};
use skein_workspace::{CheckpointStore, FileError, Workspace, local};

use super::error::CheckpointError;

/// Many writers may wait, each for some milliseconds.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// Locks an existing store.
pub(crate) fn existing(workspace: &Workspace) -> Result<DirLock, CheckpointError> {
    existing_within(workspace, LOCK_TIMEOUT)
}

/// Locks an existing store within a time limit.
pub(crate) fn existing_within(
    workspace: &Workspace,
    timeout: Duration,
) -> Result<DirLock, CheckpointError> {
    let checkpoints = &workspace.checkpoints;
    not_owned(checkpoints)?;
    let dir = checkpoints.threads();
    if !dir.is_dir() && !checkpoints.exists {
        return Err(CheckpointError::NoStore { path: dir });
    }
    locked(workspace, timeout)
}

/// Locks the directory that is written.
pub(super) fn locked(workspace: &Workspace, timeout: Duration) -> Result<DirLock, CheckpointError> {
    let Workspace { env, checkpoints, .. } = workspace;
    let dir = checkpoints.written();
    if checkpoints.local.is_some() {
        local::ensure_checkpoints(&*env.fs, &dir)?;
    }
    inside(checkpoints, &dir)?;
    Ok(lock(&*env.fs, &dir, timeout)?)
}

/// Returns an error if the store belongs to another user.
pub(super) fn not_owned(checkpoints: &CheckpointStore) -> Result<(), CheckpointError> {
    let root = checkpoints.root.clone();
    if checkpoints.not_owned { Err(CheckpointError::NotOwned { root }) } else { Ok(()) }
}

/// Refuses paths that symbolic links of an untrusted repository redirect outside the store.
pub(crate) fn inside(checkpoints: &CheckpointStore, path: &Path) -> Result<(), CheckpointError> {
    let Ok(real) = path.canonicalize() else {
        let dangles = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        return if dangles {
            Err(FileError::Link { path: path.to_owned() }.into())
        } else {
            Ok(())
        };
    };
    let local = checkpoints.local.as_deref().and_then(Path::parent);
    let roots = [Some(checkpoints.root.as_path()), local].into_iter().flatten();
    let mut roots = roots.filter_map(|root| root.canonicalize().ok()).peekable();
    if roots.peek().is_none() || roots.any(|root| real.starts_with(root)) {
        return Ok(());
    }
    Err(FileError::Link { path: path.to_owned() }.into())
}

/// Returns the path to write for a file of the store: a copy in the worktree if the store is read-only, else the path itself.
///
/// The copy is made if there is none and the store has the file.
pub(super) fn copy_up(
    workspace: &Workspace,
    guard: &DirLock,
    path: &Path,
) -> Result<PathBuf, CheckpointError> {
    let Workspace { env, checkpoints, .. } = workspace;
    let threads = checkpoints.threads();
    let (Some(local), Ok(below)) = (&checkpoints.local, path.strip_prefix(&threads)) else {
        return Ok(path.to_owned());
    };
    let copy = local.join(below);
    if copy.symlink_metadata().is_ok() {
        return Ok(copy);
    }
    let bytes = match read(path) {
        Ok(snapshot) => snapshot.bytes,
        Err(ReadError::NotFound { .. }) => return Ok(copy),
        Err(error) => return Err(error.into()),
    };
    let base = local::bases(local).join(below);
    for file in [&base, &copy] {
        ensure_dir(&*env.fs, file.parent().unwrap_or(file), 0o700)?;
    }
    match create_new(&*env.fs, guard, &base, &bytes, 0o600) {
        // Left over from an earlier copy or a crash.
        Err(CreateError::Exists { .. }) => {
            replace(&*env.fs, guard, &base, &read(&base)?.revision, &bytes)?;
        }
        created => drop(created?),
    }
    create_new(&*env.fs, guard, &copy, &bytes, 0o600)?;
    Ok(copy)
}

//! Takes the lock of a store of checkpoints, and checks what may be written in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{CreateError, DirLock, ReadError, create_new, ensure_dir, lock, read, replace};
use skein_workspace::{CheckpointStore, Env, FileError, local};

use super::error::CheckpointError;

/// Many writers may wait, each for some milliseconds.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// Takes the lock of a store that exists.
pub(crate) fn existing(
    env: &Env,
    checkpoints: &CheckpointStore,
) -> Result<DirLock, CheckpointError> {
    existing_within(env, checkpoints, LOCK_TIMEOUT)
}

/// Takes the lock of a store that exists, if it can be taken in time.
pub(crate) fn existing_within(
    env: &Env,
    checkpoints: &CheckpointStore,
    timeout: Duration,
) -> Result<DirLock, CheckpointError> {
    not_owned(checkpoints)?;
    let dir = checkpoints.threads();
    if !dir.is_dir() && !checkpoints.exists {
        return Err(CheckpointError::NoStore { path: dir });
    }
    locked(env, checkpoints, timeout)
}

/// Takes the lock of the directory that is written.
pub(super) fn locked(
    env: &Env,
    checkpoints: &CheckpointStore,
    timeout: Duration,
) -> Result<DirLock, CheckpointError> {
    let dir = checkpoints.written();
    if checkpoints.local.is_some() {
        local::ensure_checkpoints(&*env.fs, &dir)?;
    }
    inside(checkpoints, &dir)?;
    Ok(lock(&*env.fs, &dir, timeout)?)
}

/// Refuses a store of another user.
pub(super) fn not_owned(checkpoints: &CheckpointStore) -> Result<(), CheckpointError> {
    let root = checkpoints.root.clone();
    if checkpoints.not_owned { Err(CheckpointError::NotOwned { root }) } else { Ok(()) }
}

/// Makes sure that no link of a foreign repository leads a writer elsewhere.
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

/// Returns the path to write instead of one in the store: a copy in the worktree, where the store cannot be written.
///
/// The copy is made if there is none and the store has the file.
pub(super) fn copy_up(
    env: &Env,
    checkpoints: &CheckpointStore,
    guard: &DirLock,
    path: &Path,
) -> Result<PathBuf, CheckpointError> {
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
        // One of an earlier copy that is gone, or of a crash.
        Err(CreateError::Exists { .. }) => {
            replace(&*env.fs, guard, &base, &read(&base)?.revision, &bytes)?;
        }
        created => drop(created?),
    }
    create_new(&*env.fs, guard, &copy, &bytes, 0o600)?;
    Ok(copy)
}

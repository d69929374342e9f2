//! A small file of our own in the state directory of a workspace.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use skein_store::{CreateError, RealFs, ReplaceError, RootDirs, create_new, lock, remove, replace};

use crate::review::WriteError;

const PATIENCE: Duration = Duration::from_secs(5);
/// How often another program may be faster; those that take the lock never are.
const TRIES: usize = 100;

/// Reads the file; none where there is none, or one that makes no sense.
pub(crate) fn read<T: DeserializeOwned>(dirs: &RootDirs, name: &str) -> Option<T> {
    let bytes = skein_store::read(&dirs.state.join(name)).ok()?.bytes;
    serde_json::from_slice(&bytes).ok()
}

/// Writes what `change` makes of the file's content, durably; of two writers none loses what it wrote.
///
/// The file can be read by its owner alone. Where `change` gives nothing, all stays as it is. A crash leaves the old
/// content or the other one.
pub(crate) fn update<T: DeserializeOwned + Serialize>(
    dirs: &RootDirs,
    name: &str,
    change: &dyn Fn(Option<T>) -> Option<T>,
) -> Result<(), WriteError> {
    let dir = dirs.ensure_state(&RealFs)?;
    let path = dir.join(name);
    let guard = lock(&RealFs, dir, PATIENCE)?;
    for _ in 0..TRIES {
        let old = skein_store::read(&path).ok();
        let content = old.as_ref().and_then(|old| serde_json::from_slice(&old.bytes).ok());
        let Some(content) = change(content) else { return Ok(()) };
        // Strings and numbers under string keys always serialise.
        let bytes = serde_json::to_vec(&content).unwrap_or_default();
        let done = match old {
            Some(old) => match replace(&RealFs, &guard, &path, &old.revision, &bytes) {
                Err(ReplaceError::Conflict { .. }) => false,
                done => done.map(|()| true)?,
            },
            None => match create_new(&RealFs, &guard, &path, &bytes, 0o600) {
                Err(CreateError::Exists { .. }) => false,
                done => done.map(|_| true)?,
            },
        };
        if done {
            return Ok(());
        }
    }
    Err(WriteError::Busy { path })
}

/// Removes the file if it says nothing that counts; one that makes no sense stays.
pub(crate) fn sweep<T: DeserializeOwned>(
    dirs: &RootDirs,
    name: &str,
    is_empty: impl Fn(&T) -> bool,
) -> Result<(), WriteError> {
    let path = dirs.state.join(name);
    if !path.exists() {
        return Ok(());
    }
    let guard = lock(&RealFs, &dirs.state, PATIENCE)?;
    let old = skein_store::read(&path)?;
    if serde_json::from_slice(&old.bytes).is_ok_and(|content| is_empty(&content)) {
        remove(&RealFs, &guard, &path, &old.revision)?;
    }
    Ok(())
}

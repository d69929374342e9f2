//! Merges thread files for git.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::review::merge;
use skein_store::{LockError, ReadError, RealFs, ReplaceError, lock, read, replace};

use crate::ids::stem;

/// Why two versions were not merged; ours is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MergeDriverError {
    /// A version cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Another program holds the lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The merged version cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// What git hands to a merge driver.
#[derive(Clone, Debug)]
pub struct MergeFiles {
    /// The version that both come from; an empty file where there is none.
    pub base: PathBuf,
    /// Our version, which the merged one replaces.
    pub ours: PathBuf,
    /// Their version.
    pub theirs: PathBuf,
    /// The thread's own path in the repository.
    pub path: String,
}

/// Puts the merged thread in the place of ours; false where a person must decide something.
pub fn merge_driver(files: &MergeFiles) -> Result<bool, MergeDriverError> {
    let base = read(&files.base)?.bytes;
    let ours = read(&files.ours)?;
    let theirs = read(&files.theirs)?.bytes;
    let path = Path::new(&files.path);
    let stem = stem(path);
    // The store is two directories above its thread, and threads may not be about what is in it.
    let store = path.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let store = store.to_string_lossy();
    let base = Some(base.as_slice()).filter(|base| !base.is_empty());
    let merged = merge(base, &ours.bytes, &theirs, &stem, &store, ("ours", "theirs"));
    let dir = files.ours.parent().filter(|dir| !dir.as_os_str().is_empty());
    let guard = lock(&RealFs, dir.unwrap_or(Path::new(".")), Duration::from_secs(10))?;
    replace(&RealFs, &guard, &files.ours, &ours.revision, &merged.bytes)?;
    Ok(!merged.conflicted)
}

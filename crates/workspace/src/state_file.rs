//! Small JSON files in the state directory of a workspace.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use skein_store::{Edit, RootDirs, lock, remove};

use crate::env::Env;
use crate::file_error::FileError;
use crate::update::{Document, clear_leftovers};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the file; none if it is missing or invalid.
pub fn read<T: DeserializeOwned>(dirs: &RootDirs, name: &str) -> Option<T> {
    read_in(&dirs.state, name)
}

/// Reads the file in a directory; none if it is missing or invalid.
pub fn read_in<T: DeserializeOwned>(dir: &Path, name: &str) -> Option<T> {
    let bytes = skein_store::read(&dir.join(name)).ok()?.bytes;
    serde_json::from_slice(&bytes).ok()
}

/// Replaces the content of the file with the result of `change`, durably; concurrent updates are not lost.
///
/// Only the owner can read the file. If `change` returns none, the file is unchanged. A crash leaves the old or the new content.
pub fn update<T: DeserializeOwned + Serialize>(
    env: &Env,
    dirs: &RootDirs,
    name: &str,
    change: &dyn Fn(Option<T>) -> Option<T>,
) -> Result<(), FileError> {
    let dir = dirs.ensure_state(&*env.fs)?;
    let path = dir.join(name);
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT)?;
    clear_leftovers(env, &guard);
    let document = Document {
        is_complete: &|bytes| serde_json::from_slice::<T>(bytes).is_ok(),
        ..Document::new(&guard, &path, 0o600)
    };
    document.update(env, |bytes| {
        let content = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        Ok::<_, FileError>(match change(content) {
            Some(content) => Edit::Write(to_json(&content)?, ()),
            None => Edit::Keep(()),
        })
    })?;
    Ok(())
}

/// Removes the file if `is_empty` returns true for its content; an invalid file is kept.
pub fn remove_if_empty<T: DeserializeOwned>(
    env: &Env,
    dirs: &RootDirs,
    name: &str,
    is_empty: impl Fn(&T) -> bool,
) -> Result<(), FileError> {
    let path = dirs.state.join(name);
    if !path.exists() {
        return Ok(());
    }
    let guard = lock(&*env.fs, &dirs.state, LOCK_TIMEOUT)?;
    let old = skein_store::read(&path)?;
    if serde_json::from_slice(&old.bytes).is_ok_and(|content| is_empty(&content)) {
        remove(&*env.fs, &guard, &path, &old.revision)?;
    }
    Ok(())
}

/// Serialises content for a file; an error must not result in an empty file.
pub fn to_json<T: Serialize>(content: &T) -> Result<Vec<u8>, FileError> {
    Ok(serde_json::to_vec(content)?)
}

//! Small JSON files in the state directory of a workspace.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use skein_store::{Edit, RootDirs, copy_to_trash, lock, remove};

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
///
/// Another version of Skein may have written the file: keys that this version does not know are kept. A file that it cannot read, because
/// of its format or because it is damaged, is copied to the trash before it is replaced.
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
        let stored: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let content: Option<T> = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let understood = content.as_ref().map(serde_json::to_value).transpose()?;
        let Some(content) = change(content) else { return Ok(Edit::Keep(())) };
        if let Some(bytes) = bytes.filter(|bytes| understood.is_none() && !bytes.is_empty()) {
            let stamp = env.clock.now().compact();
            copy_to_trash(&*env.fs, &unreadable_dir(env), &path, bytes, &stamp)?;
        }
        let mut written = serde_json::to_value(&content)?;
        if let (Some(stored), Some(understood)) = (&stored, &understood) {
            keep_unknown(stored, understood, &mut written);
        }
        Ok::<_, FileError>(Edit::Write(to_json(&written)?, ()))
    })?;
    Ok(())
}

/// Copies what a file has and this version does not know into the content that replaces it.
///
/// `understood` is what this version reads from `stored`. A key that it read and that is missing in `written` was removed on purpose. A
/// value of a list keeps its unknown keys if this version did not change the others.
fn keep_unknown(stored: &Value, understood: &Value, written: &mut Value) {
    match (stored, understood, written) {
        (Value::Object(stored), Value::Object(understood), Value::Object(written)) => {
            for (key, value) in stored {
                match understood.get(key) {
                    Some(understood) => {
                        if let Some(written) = written.get_mut(key) {
                            keep_unknown(value, understood, written);
                        }
                    }
                    None => {
                        written.entry(key).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        (Value::Array(stored), Value::Array(understood), Value::Array(written)) => {
            for item in written {
                let mut pairs = understood.iter().zip(stored);
                if let Some((old, value)) = pairs.find(|(old, _)| *old == item) {
                    keep_unknown(value, old, item);
                }
            }
        }
        _ => {}
    }
}

/// Returns the directory for state files that could not be read and were replaced.
fn unreadable_dir(env: &Env) -> PathBuf {
    env.dirs.state.join("trash").join("state")
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

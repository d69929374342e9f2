//! Renames a damaged map.

use std::path::PathBuf;

use skein_store::{Revision, remove};
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::{SessionError, SessionResult};
use super::file::{self, copy_damaged};

/// Renames a damaged map, and returns the new path.
///
/// It is copied durably, then removed unless it has changed in between. A map that is valid or has readable entries is not renamed:
/// another program may have written it since the damage was found. Another version is an error.
pub fn back_up(env: &Env, map: &MapPath) -> SessionResult<Option<PathBuf>> {
    let (now, path) = (env.clock.now(), map.path());
    let none = || SessionError::NoMap { path: path.to_owned() };
    let real = file::resolve(&*env.fs, map)?;
    let guard = file::lock_dir(&*env.fs, &real)?;
    let held = file::read(&*env.fs, &real)?.ok_or_else(none)?;
    if !held.is_corrupt() || held.recover(path, now)?.entries > 0 {
        return Ok(None);
    }
    let bytes = held.doc.to_bytes();
    let copy = copy_damaged(&*env.fs, &guard, &real, bytes, now)?;
    remove(&*env.fs, &guard, &real, &Revision::from_bytes(bytes))?;
    Ok(Some(copy))
}

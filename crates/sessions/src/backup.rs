//! Keeps a damaged map under another name.

use std::path::PathBuf;

use skein_store::{Revision, remove};
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::SessionError;
use super::file::{self, set_aside};

/// Gives a damaged map another name, and returns it.
///
/// It is copied durably first and removed then, unless it changed meanwhile. A map from which anything can be read, or of another
/// version, stays where it is: another program may have written it since the damage was found.
pub fn back_up(env: &Env, map: &MapPath) -> Result<Option<PathBuf>, SessionError> {
    let (now, path) = (env.clock.now(), map.path());
    let none = || SessionError::NoMap { path: path.to_owned() };
    let real = file::real(&*env.fs, map)?;
    let guard = file::hold(&*env.fs, &real)?;
    let (held, bytes) = file::read_with_bytes(&*env.fs, &real)?.ok_or_else(none)?;
    if !held.is_corrupt() || held.saved(path, now)?.entries > 0 {
        return Ok(None);
    }
    let copy = set_aside(&*env.fs, &guard, &real, &bytes, now)?;
    remove(&*env.fs, &guard, &real, &Revision::from_bytes(&bytes))?;
    Ok(Some(copy))
}

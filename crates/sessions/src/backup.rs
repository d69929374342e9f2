//! Keeps a damaged map under another name.

use std::path::{Path, PathBuf};

use skein_format::time::Time;
use skein_store::{CreateError, DirLock, Fs, Revision, create_new, remove};
use skein_workspace::Env;
use skein_workspace::session_map_path::MapPath;

use super::error::SessionError;
use super::file;

/// Gives a damaged map another name, and returns it.
///
/// It is copied durably first and removed then, unless it changed meanwhile. A map from which anything can be read, or of another
/// version, stays where it is: another program may have written it since somebody saw damage.
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

/// Copies the bytes of a damaged map durably to `<file>.corrupt-<time>`, and returns where that is.
///
/// The original stays: whoever goes on to write or remove it does so once the copy is safe. A copy that is there
/// already serves again, so that a second try after a crash leaves no second one.
pub(super) fn set_aside(
    fs: &dyn Fs,
    guard: &DirLock,
    real: &Path,
    bytes: &[u8],
    now: Time,
) -> Result<PathBuf, CreateError> {
    let name = real.file_name().unwrap_or_default().to_os_string();
    let mut number = 1_u32;
    loop {
        let mut copy = name.clone();
        copy.push(format!(".corrupt-{}", now.compact()));
        if number > 1 {
            copy.push(format!("-{number}"));
        }
        let copy = file::dir(real).join(copy);
        // The copy is for its owner alone: what it holds is not known.
        match create_new(fs, guard, &copy, bytes, 0o600) {
            Ok(_) => return Ok(copy),
            Err(CreateError::Exists { path }) if fs.holds(&path, bytes).unwrap_or(false) => {
                return Ok(copy);
            }
            Err(CreateError::Exists { .. }) if number < u32::MAX => number += 1,
            Err(error) => return Err(error),
        }
    }
}

use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{EntryKind, Fs};
use crate::stage;

/// A directory could not be created.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the directory {}", path.display())]
pub struct EnsureDirError {
    /// The directory that failed; it may be a parent of the requested one.
    pub path: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

/// Creates `path` and its parents as directories, durably, if they do not exist.
///
/// `mode` is subject to the umask and applies to every directory created. Existing directories are
/// neither changed nor synced.
pub fn ensure_dir(fs: &dyn Fs, path: &Path, mode: u32) -> Result<(), EnsureDirError> {
    ensure(fs, None, path, mode)
}

/// Creates directories like [`ensure_dir`], but fails if `base` does not exist.
///
/// For background work in a directory that the user may remove at any time: it must not appear again.
pub fn ensure_dir_in(
    fs: &dyn Fs,
    base: &Path,
    below: &Path,
    mode: u32,
) -> Result<(), EnsureDirError> {
    ensure(fs, Some(base), &base.join(below), mode)
}

/// Creates `path` and its parents, but neither `base` nor its parents.
fn ensure(fs: &dyn Fs, base: Option<&Path>, path: &Path, mode: u32) -> Result<(), EnsureDirError> {
    let mut missing = Vec::new();
    let mut next = path;
    while !is_dir(fs, next)? {
        missing.push(next);
        let parent = stage::parent(next);
        if parent == next || Some(next) == base {
            let source = io::ErrorKind::NotFound.into();
            return Err(EnsureDirError { path: next.to_owned(), source });
        }
        next = parent;
    }
    for dir in missing.into_iter().rev() {
        make(fs, dir, mode).map_err(|source| EnsureDirError { path: dir.to_owned(), source })?;
    }
    Ok(())
}

fn make(fs: &dyn Fs, dir: &Path, mode: u32) -> io::Result<()> {
    match fs.make_dir(dir, mode) {
        // Another process created it, and may not have synced it yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => done?,
    }
    fs.sync_dir(stage::parent(dir))
}

/// Returns whether `path` is a directory, false if it does not exist; anything else is an error.
fn is_dir(fs: &dyn Fs, path: &Path) -> Result<bool, EnsureDirError> {
    let failed = |source| EnsureDirError { path: path.to_owned(), source };
    match fs.metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    }
    // A dangling link is an error, not a free name.
    let (_, meta) = stage::follow(fs, path).map_err(failed)?;
    if meta.kind == EntryKind::Dir {
        Ok(true)
    } else {
        Err(failed(io::ErrorKind::NotADirectory.into()))
    }
}

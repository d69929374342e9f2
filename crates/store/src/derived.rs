use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs;
use crate::lock::Guard;
use crate::stage::{self, Access, Durability};

/// A derived file could not be written; the one before it is in its place.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct DerivedError {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Puts a file in place that can be made again from others, such as an index.
///
/// Readers see the old file or the other one, whole. Nothing is synced: a power cut may leave the
/// old file, the other one or an empty one.
pub fn write_derived(
    fs: &dyn Fs,
    _guard: &Guard,
    path: &Path,
    bytes: &[u8],
) -> Result<(), DerivedError> {
    put(fs, path, bytes).map_err(|source| DerivedError { path: path.to_owned(), source })
}

fn put(fs: &dyn Fs, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match stage::follow(fs, path) {
        Ok((target, meta)) => put_at(fs, &target, &Access::Like(&meta), bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            put_at(fs, path, &Access::Mode(0o666), bytes)
        }
        Err(error) => Err(error),
    }
}

fn put_at(fs: &dyn Fs, target: &Path, access: &Access<'_>, bytes: &[u8]) -> io::Result<()> {
    let temp = stage::stage(fs, target, access, bytes, Durability::Unsynced)?;
    fs.rename(&temp, target).inspect_err(|_| stage::discard(fs, &temp))
}

use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{EntryKind, Fs};
use crate::lock::DirLock;
use crate::stage::{self, Access, Durability};

/// A derived file could not be written; the old one is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct DerivedError {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

/// Writes a file that can be rebuilt from others, such as an index.
///
/// Readers see the old or the new file, complete. Nothing is synced: after a power cut the file may
/// be the old one, the new one or empty. A symlink is replaced, not followed: it may point to a
/// file of another user.
pub fn write_unsynced(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    bytes: &[u8],
) -> Result<(), DerivedError> {
    put(fs, path, bytes).map_err(|source| DerivedError { path: path.to_owned(), source })
}

/// Writes a file like [`write_unsynced`]; only its owner can read it, even if the old one had
/// another mode.
pub fn write_private(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    bytes: &[u8],
) -> Result<(), DerivedError> {
    put_at(fs, path, &Access::Mode(0o600), bytes)
        .map_err(|source| DerivedError { path: path.to_owned(), source })
}

fn put(fs: &dyn Fs, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs.metadata(path) {
        Ok(meta) if meta.kind == EntryKind::File => put_at(fs, path, &Access::Like(&meta), bytes),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => put_at(fs, path, &Access::Mode(0o666), bytes),
    }
}

fn put_at(fs: &dyn Fs, path: &Path, access: &Access<'_>, bytes: &[u8]) -> io::Result<()> {
    let temp = stage::stage(fs, path, access, bytes, Durability::Unsynced)?;
    fs.rename(&temp, path).inspect_err(|_| stage::discard(fs, &temp))
}

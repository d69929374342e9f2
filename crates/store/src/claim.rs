use std::io;
use std::path::Path;

use crate::fs::Fs;

/// Creates an empty file, and returns whether it did not exist: only one of several processes gets
/// true.
///
/// Nothing is synced: after a power cut, another process may get true.
pub fn create_marker(fs: &dyn Fs, path: &Path, mode: u32) -> io::Result<bool> {
    match fs.create(path, mode) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a marker, if it exists.
pub fn remove_marker(fs: &dyn Fs, path: &Path) -> io::Result<()> {
    match fs.unlink(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

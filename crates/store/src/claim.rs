use std::io;
use std::path::Path;

use crate::fs::Fs;

/// Makes an empty file of that name, and tells whether nobody did before: of many who try at once, one gets true.
///
/// Nothing is synced: after a power cut another may be the first one again.
pub fn create_marker(fs: &dyn Fs, path: &Path, mode: u32) -> io::Result<bool> {
    match fs.create(path, mode) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Takes a claim back; one that is not there is no error.
pub fn remove_marker(fs: &dyn Fs, path: &Path) -> io::Result<()> {
    match fs.unlink(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

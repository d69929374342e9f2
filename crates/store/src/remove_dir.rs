use std::io;
use std::path::Path;

/// Removes a directory if it is empty, and returns whether it no longer exists.
///
/// Nothing is synced: after a power cut the empty directory may exist again.
pub fn remove_empty_dir(path: &Path) -> io::Result<bool> {
    match std::fs::remove_dir(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}

use std::io;
use std::path::Path;

/// Removes a directory that holds nothing, and says whether it is gone.
///
/// One that holds something stays, with all that is in it. Nothing is synced: a directory that comes back after a
/// power cut is as empty as before.
pub fn remove_empty_dir(path: &Path) -> io::Result<bool> {
    match std::fs::remove_dir(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}

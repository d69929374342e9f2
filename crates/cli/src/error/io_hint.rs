//! Hints for errors of the operating system.

use std::error::Error;
use std::io::{self, ErrorKind};

/// Finds the error of the operating system among the causes, and returns a hint for it.
pub(super) fn find(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return by_kind(io.kind()).map(str::to_owned);
        }
        cause = error.source();
    }
    None
}

fn by_kind(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::PermissionDenied => "check the permissions of the file and its directory",
        ErrorKind::ReadOnlyFilesystem => {
            "the disk is read-only; nothing was changed: mount it writable, or work on a copy"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "the disk is full; nothing was changed: free some space (`df -h` shows where) and run the command again"
        }
        ErrorKind::NotADirectory => "expected a directory but found a file; move it",
        _ => return None,
    })
}

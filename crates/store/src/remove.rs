use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{EntryKind, Fs};
use crate::lock::DirLock;
use crate::revision::Revision;
use crate::stage;
use crate::temp;

/// Why a document was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// The file is not what the caller has read.
    #[error("{} was changed by another program{}", path.display(), stage::kept_note(kept.as_ref()))]
    Conflict {
        /// The file that was to be removed.
        path: PathBuf,
        /// What was found instead; `None` when the file is gone.
        found: Option<Revision>,
        /// Where that is now, when another file had taken its name before it was put back.
        kept: Option<PathBuf>,
    },
    /// The path leads to a directory, a device, a pipe or a socket.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path that was to be removed.
        path: PathBuf,
    },
    /// A step failed.
    #[error("cannot remove {}{}", path.display(), stage::kept_note(kept.as_ref()))]
    Failed {
        /// The file that was to be removed.
        path: PathBuf,
        /// Where the document is, when it could not be put back in its place.
        kept: Option<PathBuf>,
        /// What the system said.
        source: io::Error,
    },
}

/// Removes the document at `path`, durably, if it is still the `expected` one.
///
/// Of a symlink the link is removed and its target stays. A crash leaves the document, or nothing
/// but perhaps a temp file that holds it.
pub fn remove(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    expected: &Revision,
) -> Result<(), RemoveError> {
    let found = Revision::from_bytes(&read_document(fs, path)?);
    if found != *expected {
        return Err(RemoveError::Conflict {
            path: path.to_owned(),
            found: Some(found),
            kept: None,
        });
    }
    withdraw(fs, path, expected)
}

/// Reads the document that is about to be removed; refuses anything but a regular file.
pub(crate) fn read_document(fs: &dyn Fs, path: &Path) -> Result<Vec<u8>, RemoveError> {
    let (target, meta) = stage::follow(fs, path).map_err(|error| missing_or_failed(path, error))?;
    if meta.kind != EntryKind::File {
        return Err(RemoveError::NotAFile { path: path.to_owned() });
    }
    fs.read(&target).map_err(|error| missing_or_failed(path, error))
}

/// Moves the entry out of sight, looks at what was moved, and deletes it or puts it back.
pub(crate) fn withdraw(fs: &dyn Fs, path: &Path, expected: &Revision) -> Result<(), RemoveError> {
    let temp = temp::beside(path);
    fs.rename_new(path, &temp).map_err(|error| missing_or_failed(path, error))?;
    let failed = |source| {
        // The first error is the one that explains; what it left behind is named beside it.
        let kept = put_back(fs, &temp, path).unwrap_or_else(|_| Some(temp.clone()));
        RemoveError::Failed { path: path.to_owned(), kept, source }
    };
    let found = Revision::from_bytes(&fs.read(&temp).map_err(failed)?);
    if found != *expected {
        return Err(match put_back(fs, &temp, path) {
            Ok(kept) => RemoveError::Conflict { path: path.to_owned(), found: Some(found), kept },
            Err(source) => RemoveError::Failed { path: path.to_owned(), kept: Some(temp), source },
        });
    }
    fs.sync_dir(stage::parent(path)).map_err(failed)?;
    fs.unlink(&temp).map_err(failed)
}

/// Gives the entry its name back, or returns where it stays when the name is taken.
fn put_back(fs: &dyn Fs, temp: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    match fs.rename_new(temp, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Some(temp.to_owned())),
        Err(error) => Err(error),
        Ok(()) => fs.sync_dir(stage::parent(path)).map(|()| None),
    }
}

fn missing_or_failed(path: &Path, source: io::Error) -> RemoveError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        RemoveError::Conflict { path, found: None, kept: None }
    } else {
        RemoveError::Failed { path, kept: None, source }
    }
}

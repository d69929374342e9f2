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
    /// The file has changed since the caller read it.
    #[error("{} was changed by another program{}", path.display(), stage::kept_note(kept.as_ref()))]
    Conflict {
        /// The file that was to be removed.
        path: PathBuf,
        /// The revision found instead; `None` if the file does not exist.
        found: Option<Revision>,
        /// The path of that document, if its name was taken before it could be restored.
        kept: Option<PathBuf>,
    },
    /// The path is a directory, a device, a pipe or a socket.
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
        /// The path of the document, if it could not be restored.
        kept: Option<PathBuf>,
        /// The underlying error.
        source: io::Error,
    },
}

/// Removes the document at `path` durably, if it still has the `expected` revision.
///
/// A symlink is removed itself; its target remains. After a crash the document exists or not, and
/// perhaps a temp file contains it.
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

/// Reads the document to be removed; fails for anything but a regular file.
pub(crate) fn read_document(fs: &dyn Fs, path: &Path) -> Result<Vec<u8>, RemoveError> {
    let (target, meta) = stage::follow(fs, path).map_err(|error| missing_or_failed(path, error))?;
    if meta.kind != EntryKind::File {
        return Err(RemoveError::NotAFile { path: path.to_owned() });
    }
    fs.read(&target).map_err(|error| missing_or_failed(path, error))
}

/// Renames the entry to a temp name, checks its content, and deletes or restores it.
pub(crate) fn withdraw(fs: &dyn Fs, path: &Path, expected: &Revision) -> Result<(), RemoveError> {
    let temp = temp::beside(path);
    fs.rename_new(path, &temp).map_err(|error| missing_or_failed(path, error))?;
    let failed = |source| {
        // The first error is reported, with the path of the file that it left.
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

/// Restores the name of the entry, or returns its temp path if the name is taken.
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

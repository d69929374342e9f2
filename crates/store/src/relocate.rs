use std::path::{Path, PathBuf};

use crate::create::{CreateError, create_unlocked};
use crate::ensure::{EnsureDirError, ensure_dir};
use crate::fs::Fs;
use crate::lock::DirLock;
use crate::remove::{self, RemoveError};
use crate::revision::Revision;
use crate::stage;

/// Why a document was not moved to another directory.
#[derive(Debug, thiserror::Error)]
pub enum RelocateError {
    /// The document cannot be read; nothing was written.
    #[error("cannot move {}", path.display())]
    Read {
        /// The document.
        path: PathBuf,
        /// Why it cannot be read.
        source: RemoveError,
    },
    /// The directory cannot be created; the document was not moved.
    #[error("cannot move {}", path.display())]
    Dir {
        /// The document.
        path: PathBuf,
        /// Why the directory cannot be created.
        source: EnsureDirError,
    },
    /// The copy cannot be created; the document was not moved.
    #[error("cannot move {}", path.display())]
    Copy {
        /// The document.
        path: PathBuf,
        /// Why it was not copied.
        source: CreateError,
    },
    /// The document was copied but not removed; the copy remains.
    #[error("copied {} to {}, but did not remove it", path.display(), copy.display())]
    Remove {
        /// The document.
        path: PathBuf,
        /// The copy.
        copy: PathBuf,
        /// Why the document was not removed.
        source: Box<RemoveError>,
    },
}

/// Moves a document into another directory durably; never overwrites a file there.
///
/// The copy is durable before the document is removed: a crash leaves the document, the copy, or
/// both. Calling it again completes an interrupted move.
pub fn relocate(fs: &dyn Fs, guard: &DirLock, from: &Path, to: &Path) -> Result<(), RelocateError> {
    let path = || from.to_owned();
    let bytes = remove::read_document(fs, from)
        .map_err(|source| RelocateError::Read { path: path(), source })?;
    ensure_dir(fs, stage::parent(to), 0o777)
        .map_err(|source| RelocateError::Dir { path: path(), source })?;
    // The copy must not be readable by more users.
    let mode = fs.metadata(from).map(|meta| meta.mode & 0o777).map_err(|source| {
        RelocateError::Copy { path: path(), source: CreateError::Failed { path: path(), source } }
    })?;
    match create_unlocked(fs, to, &bytes, mode) {
        Ok(_) => {}
        // An earlier attempt was interrupted after the copy.
        Err(CreateError::Exists { .. }) if fs.read(to).is_ok_and(|there| there == bytes) => {
            fs.sync_dir(stage::parent(to)).map_err(|source| RelocateError::Copy {
                path: path(),
                source: CreateError::Unconfirmed { path: to.to_owned(), source },
            })?;
        }
        Err(source) => return Err(RelocateError::Copy { path: path(), source }),
    }
    remove::remove(fs, guard, from, &Revision::from_bytes(&bytes)).map_err(|source| {
        RelocateError::Remove { path: path(), copy: to.to_owned(), source: Box::new(source) }
    })
}

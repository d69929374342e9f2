use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs;
use crate::lock::DirLock;
use crate::remove;
use crate::revision::Revision;
use crate::stage::{self, Access, Durability};

/// Why a document was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// The file exists; it was not changed.
    #[error("already exists: {}", path.display())]
    Exists {
        /// The existing file.
        path: PathBuf,
    },
    /// A step failed; nothing was created.
    #[error("cannot create {}", path.display())]
    Failed {
        /// The file that was to be created.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The document was created and could not be removed again, but a power cut may still undo it.
    #[error("cannot confirm that {} is on disk", path.display())]
    Unconfirmed {
        /// The file that was created.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

/// Creates a document durably; never overwrites a file.
///
/// `mode` is subject to the umask. After a crash there is no document or a complete one, and
/// perhaps a temp file.
pub fn create_new(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    bytes: &[u8],
    mode: u32,
) -> Result<Revision, CreateError> {
    create_unlocked(fs, path, bytes, mode)
}

/// Creates a document like [`create_new`], without a lock, for names that are unique.
pub(crate) fn create_unlocked(
    fs: &dyn Fs,
    path: &Path,
    bytes: &[u8],
    mode: u32,
) -> Result<Revision, CreateError> {
    let failed = |source| CreateError::Failed { path: path.to_owned(), source };
    // Avoids a temp file if the name is taken. The rename below is the actual check.
    match fs.metadata(path) {
        Ok(_) => {
            return Err(CreateError::Exists { path: path.to_owned() });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let temp =
        stage::stage(fs, path, &Access::Mode(mode), bytes, Durability::Synced).map_err(failed)?;
    if let Err(error) = fs.rename_new(&temp, path) {
        stage::discard(fs, &temp);
        return Err(match error.kind() {
            io::ErrorKind::AlreadyExists => CreateError::Exists { path: path.to_owned() },
            _ => failed(error),
        });
    }
    let revision = Revision::from_bytes(bytes);
    match fs.sync_dir(stage::parent(path)) {
        Ok(()) => Ok(revision),
        Err(source) => Err(match remove::withdraw(fs, path, &revision) {
            Ok(()) => failed(source),
            Err(_) => CreateError::Unconfirmed { path: path.to_owned(), source },
        }),
    }
}

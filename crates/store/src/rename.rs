use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs;
use crate::lock::DirLock;
use crate::stage;

/// Why an entry was not renamed.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The new name is taken; nothing was moved.
    #[error("already exists: {}", to.display())]
    Exists {
        /// The existing entry.
        to: PathBuf,
    },
    /// A step failed.
    #[error("cannot rename {} to {}", from.display(), to.display())]
    Failed {
        /// The entry.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

/// Renames an entry within its directory durably; never overwrites another.
///
/// Content, mode and owner do not change. A symlink itself is renamed. After a crash the entry has
/// one of the two names.
pub fn rename_new(
    fs: &dyn Fs,
    _guard: &DirLock,
    from: &Path,
    to: &Path,
) -> Result<(), RenameError> {
    let failed = |source| RenameError::Failed { from: from.to_owned(), to: to.to_owned(), source };
    match fs.rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(RenameError::Exists { to: to.to_owned() })
        }
        Err(error) => Err(failed(error)),
        Ok(()) => fs.sync_dir(stage::parent(to)).map_err(failed),
    }
}

/// Exchanges two entries of a directory atomically and durably.
///
/// Symlinks themselves are exchanged. After a crash both are exchanged or none. If the system does
/// not support it, nothing changes, and the source of the error has the kind `Unsupported`.
pub fn exchange(fs: &dyn Fs, _guard: &DirLock, from: &Path, to: &Path) -> Result<(), RenameError> {
    let failed = |source| RenameError::Failed { from: from.to_owned(), to: to.to_owned(), source };
    fs.exchange(from, to).map_err(failed)?;
    fs.sync_dir(stage::parent(to)).map_err(failed)
}

use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs;
use crate::lock::DirLock;
use crate::stage;

/// Why an entry did not get another name.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The other name is taken; nothing was moved.
    #[error("already exists: {}", to.display())]
    Exists {
        /// The name that is taken.
        to: PathBuf,
    },
    /// A step failed.
    #[error("cannot rename {} to {}", from.display(), to.display())]
    Failed {
        /// The entry.
        from: PathBuf,
        /// The name that it was to get.
        to: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Gives an entry another name in its directory, durably, and never takes one that is in use.
///
/// Content, mode and owner stay what they are. A symlink is moved itself. A crash leaves the entry
/// under one of the two names.
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

/// Exchanges two entries of a directory in one step, durably.
///
/// Symlinks are exchanged themselves. A crash leaves the entries under their old names or under each other's. Where
/// the system cannot do that, nothing happens, and the source of the error is of the kind `Unsupported`.
pub fn exchange(fs: &dyn Fs, _guard: &DirLock, from: &Path, to: &Path) -> Result<(), RenameError> {
    let failed = |source| RenameError::Failed { from: from.to_owned(), to: to.to_owned(), source };
    fs.exchange(from, to).map_err(failed)?;
    fs.sync_dir(stage::parent(to)).map_err(failed)
}

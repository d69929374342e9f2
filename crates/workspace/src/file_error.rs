use std::error::Error as _;
use std::path::PathBuf;

use skein_store::{
    Busy, CreateError, DerivedError, EnsureDirError, LockError, ReadError, RelocateError,
    RemoveError, RenameError, ReplaceError, TrashError,
};

/// Why a file was not read or written; its content is not lost.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A symbolic link is where the file should be.
    #[error("unexpected symbolic link: {}", path.display())]
    Link { path: PathBuf },
    /// Other programs changed the file during every attempt.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The content cannot be serialised, so nothing was written.
    #[error("cannot write the content as JSON")]
    Serialize(#[from] serde_json::Error),
    /// Another program holds the lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file cannot be created.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The file cannot be removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The file cannot be moved to the trash.
    #[error(transparent)]
    Trash(Box<TrashError>),
    /// The file cannot be moved.
    #[error(transparent)]
    Relocate(Box<RelocateError>),
    /// The file cannot be renamed.
    #[error(transparent)]
    Rename(#[from] RenameError),
    /// A generated file cannot be written.
    #[error(transparent)]
    Derived(#[from] DerivedError),
    /// A directory cannot be created.
    #[error(transparent)]
    Directory(#[from] EnsureDirError),
}

impl From<TrashError> for FileError {
    fn from(error: TrashError) -> Self {
        Self::Trash(Box::new(error))
    }
}

impl From<RelocateError> for FileError {
    fn from(error: RelocateError) -> Self {
        Self::Relocate(Box::new(error))
    }
}

impl FileError {
    /// Returns whether other programs are writing, so that a retry may help.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Busy(_) => true,
            // The error has no source if another program holds the lock.
            Self::Lock(error) => error.source().is_none(),
            _ => false,
        }
    }
}

/// Implements `From` for each error of the store, for an error type with the variant `File`.
#[macro_export]
macro_rules! wrap_file_errors {
    ($error:ty) => {
        $crate::file_error::wrap_file_errors!(
            $error: Busy, CreateError, DerivedError, EnsureDirError, LockError, ReadError,
            RelocateError, RemoveError, RenameError, ReplaceError, TrashError
        );
    };
    ($error:ty: $($cause:ident),*) => {
        $(impl From<skein_store::$cause> for $error {
            fn from(error: skein_store::$cause) -> Self {
                Self::File(error.into())
            }
        })*
    };
}
pub use wrap_file_errors;

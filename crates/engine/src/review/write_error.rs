use std::path::PathBuf;

use skein_format::review::EditError;
use skein_store::{
    Busy, CreateError, EnsureDirError, LockError, ReadError, RemoveError, ReplaceError, TrashError,
};

use crate::find::FindError;

/// Why a thread was not written; it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No thread is meant.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Something else than a review thread is meant.
    #[error("not a review thread: {id}")]
    OtherKind {
        /// What was asked for.
        id: String,
    },
    /// The thread is not submitted yet.
    #[error("this comment is a draft still: {id}")]
    Draft {
        /// The thread.
        id: String,
    },
    /// The file cannot be read as a thread.
    #[error("the thread cannot be used and is not written: {} ({why})", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something else stands where the store should be.
    #[error("the store cannot be made at {}: {why}", path.display())]
    ForeignStore {
        /// The directory or file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The store belongs to another user.
    #[error("another user owns the store: {}", path.display())]
    NotOwned {
        /// The store.
        path: PathBuf,
        /// The directory that it is in.
        root: PathBuf,
    },
    /// A symbolic link stands where a file of the store should be.
    #[error("a symbolic link stands where a file should be: {}", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The edit makes no sense.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Other programs changed the file every time.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The content cannot be serialised, so nothing was written.
    #[error("cannot write the content as JSON")]
    Serialize {
        /// What is wrong with it.
        source: serde_json::Error,
    },
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
    /// A directory cannot be made.
    #[error(transparent)]
    Directory(#[from] EnsureDirError),
    /// The file cannot be moved to the trash.
    #[error(transparent)]
    Trash(#[from] TrashError),
    /// The file cannot be removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
}

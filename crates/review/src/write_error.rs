use std::path::PathBuf;

use skein_catalog::FindError;
use skein_format::review::EditError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

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
    /// Something else is where the store should be.
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
    /// There are no files to comment on.
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare {
        /// The repository.
        dir: PathBuf,
    },
    /// The edit makes no sense.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(WriteError);

use std::path::PathBuf;

use skein_catalog::FindError;
use skein_format::review::ReviewEditError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;

/// Why a thread was not written; it is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error("not a review thread: {id}")]
    OtherKind { id: String },
    #[error("the comment is still a draft: {id}")]
    Draft { id: String },
    #[error("an agent cannot delete a thread in which others wrote: {id}")]
    OthersWrote { id: String },
    /// The file cannot be read as a thread.
    #[error("the thread cannot be used and is not written: {} ({reason})", path.display())]
    Unusable { path: PathBuf, reason: String },
    /// Other files are at the path of the store.
    #[error("cannot create the store at {}: {reason}", path.display())]
    ForeignStore { path: PathBuf, reason: String },
    #[error("another user owns the store: {}", path.display())]
    NotOwned { path: PathBuf, root: PathBuf },
    /// A bare repository has no files to comment on.
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare { dir: PathBuf },
    #[error(transparent)]
    Edit(#[from] ReviewEditError),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(WriteError);

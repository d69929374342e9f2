use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tantivy::TantivyError;

/// Why the index could not be read or written.
///
/// Nothing is lost with it: the caller reads the files themselves and may build the index anew.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another process is writing to this index.
    #[error("another program is writing the search index in {}", dir.display())]
    Locked {
        /// Where the index is.
        dir: PathBuf,
    },
    /// A file of the index does not hold what was written to it.
    #[error("the search index is damaged: {}", path.display())]
    Damaged {
        /// The file, or the directory of the index.
        path: PathBuf,
    },
    /// A record names a document that was never added, or that another record names.
    #[error("a file has no document of its own in the search index")]
    Document,
    /// There is more than an index can hold.
    #[error("too much for a search index")]
    TooMuch,
    /// The system did not do what it was asked for.
    #[error("cannot use the search index: {}", path.display())]
    Io {
        /// The file, or the directory of the index.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The library that keeps the postings gave up.
    #[error("the search index cannot be used")]
    Library(#[source] Box<TantivyError>),
    /// The library that keeps the postings panicked.
    #[error("the search index cannot be used, because of a defect in Skein")]
    Panicked,
}

impl IndexError {
    /// Returns whether the index is of no use and has to be built anew.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Library(_) | Self::Panicked)
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path) -> Self {
        Self::Damaged { path: path.to_owned() }
    }
}

impl From<TantivyError> for IndexError {
    fn from(error: TantivyError) -> Self {
        Self::Library(Box::new(error))
    }
}

/// Runs what calls the library, which may panic on what it does not expect in a file.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    // What the closure has changed is dropped with the error, by every caller.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(IndexError::Panicked))
}

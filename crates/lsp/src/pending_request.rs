//! Requests to the editor whose answers are pending.

use std::path::PathBuf;

use skein_catalog::ThreadRef;

/// A location of a thread that the user can go to.
pub(crate) struct Target {
    pub(crate) title: String,
    pub(crate) uri: String,
    pub(crate) line: u32,
}

/// A request to the editor whose answer is pending.
pub(crate) enum PendingRequest {
    /// A change that a thread suggests, in the file at `path`.
    Suggestion {
        thread: ThreadRef,
        path: PathBuf,
    },
    /// The removal of a comment from the source.
    Removal,
    Choice(Vec<Target>),
    /// What becomes of a text that was not sent, in the comment file at this path.
    Unsent(PathBuf),
    /// An answer that changes nothing.
    Other,
}

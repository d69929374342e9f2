//! The state of a thread in another worktree.

use serde::Serialize;
use skein_format::time::Time;

/// The state of a review thread in one worktree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorktreeStatus {
    /// The directory that paths of reviews are relative to.
    pub root: String,
    /// The branch that is checked out there.
    pub branch: String,
    /// The status there, or `broken` if the file cannot be used.
    pub status: String,
    /// The number of comments there.
    pub comment_count: usize,
    /// When it was last changed there.
    pub updated_at: Option<Time>,
}

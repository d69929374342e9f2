//! Where a thread is, or why none was found.

use std::path::PathBuf;

use skein_format::checkpoint::CheckpointFileKind;
use skein_model::Kind;
use skein_model::view::ThreadRow;
use skein_workspace::{ReviewStore, Workspace};

/// A thread that was found.
#[derive(Clone, Debug)]
pub enum ThreadLocation {
    /// A review thread.
    Review {
        /// The store that it belongs to.
        reviews: ReviewStore,
        /// Its file.
        path: PathBuf,
    },
    /// A checkpoint.
    Checkpoint {
        /// Which kind of file it is.
        form: CheckpointFileKind,
        /// Its file.
        path: PathBuf,
    },
    /// A session.
    Session {
        /// The session.
        id: String,
    },
}

/// Why no thread was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// Nothing has that name.
    #[error("no thread has this id: {text}")]
    None {
        /// What was asked for.
        text: String,
        /// Ids that are alike.
        near: Vec<String>,
    },
    /// Several threads have it.
    #[error("more than one thread is meant by: {text}")]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// The ids of the threads, with what they are about where that is known.
        candidates: Vec<(String, String)>,
    },
    /// The review thread is in the trash.
    #[error("the thread was deleted: {text}")]
    Deleted {
        /// What was asked for.
        text: String,
        /// The id of the thread.
        id: String,
    },
    /// The checkpoint is in the store of another worktree.
    #[error("the checkpoint is in another worktree: {text}")]
    OtherWorktree {
        /// What was asked for.
        text: String,
        /// The id of the checkpoint.
        id: String,
        /// The worktree.
        root: PathBuf,
    },
    /// There is no thread at all.
    #[error("there is no thread here yet")]
    Nothing,
    /// A thread of another kind is meant.
    #[error("not a checkpoint: {text}")]
    NoCheckpoint {
        /// What was asked for.
        text: String,
    },
}

/// Returns the thread of a row; one of another worktree belongs to the store that its file is in.
pub fn of_row(workspace: &Workspace, row: &ThreadRow) -> ThreadLocation {
    let path = PathBuf::from(&row.file);
    match row.kind {
        Kind::Review => {
            let mut reviews = workspace.reviews.clone();
            if row.branch.is_some() {
                let worktrees = workspace.reviews_of_all_worktrees();
                let own =
                    |reviews: &ReviewStore| path.parent() == Some(reviews.threads().as_path());
                reviews = worktrees.into_iter().find(own).unwrap_or(reviews);
            }
            ThreadLocation::Review { reviews, path }
        }
        Kind::Session => ThreadLocation::Session { id: row.id.clone() },
        Kind::Checkpoint => {
            let legacy = path.parent() == Some(workspace.checkpoints.legacy().as_path());
            ThreadLocation::Checkpoint {
                form: if legacy { CheckpointFileKind::Legacy } else { CheckpointFileKind::Thread },
                path,
            }
        }
    }
}

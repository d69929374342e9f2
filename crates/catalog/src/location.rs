//! The location of a thread that was found, or the error.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::diagnostic::Diagnostic;
use skein_format::review::ReviewDoc;
use skein_model::Kind;
use skein_model::normalize_path::stem;
use skein_model::view::ThreadRow;
use skein_workspace::{ReviewStore, Workspace};

/// A checkpoint's file, and which kind of file it is.
pub type CheckpointFile = (CheckpointFileKind, PathBuf);

/// A review thread: its file, and the store that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRef {
    pub reviews: ReviewStore,
    pub path: PathBuf,
}

impl ThreadRef {
    /// Returns the review thread of a row; one of another worktree belongs to the store that contains its file.
    pub fn from_row(workspace: &Workspace, row: &ThreadRow) -> Self {
        let mut reviews = workspace.reviews.clone();
        if row.branch.is_some() {
            let is_own = |reviews: &ReviewStore| is_in(reviews, &row.file);
            let found = workspace.reviews_of_all_worktrees().into_iter().find(is_own);
            reviews = found.unwrap_or(reviews);
        }
        Self { reviews, path: row.file.clone() }
    }

    pub fn id(&self) -> String {
        stem(&self.path)
    }

    /// Returns whether the file is in the store; otherwise it is a draft.
    pub fn is_published(&self) -> bool {
        is_in(&self.reviews, &self.path)
    }

    pub fn parse(&self, bytes: Vec<u8>) -> (ReviewDoc, Vec<Diagnostic>) {
        ReviewDoc::parse(bytes, &self.id(), &self.reviews.store_path)
    }
}

fn is_in(reviews: &ReviewStore, path: &Path) -> bool {
    path.parent() == Some(reviews.threads().as_path())
}

/// A thread that was found.
#[derive(Clone, Debug)]
pub enum ThreadLocation {
    Review(ThreadRef),
    Checkpoint(CheckpointFile),
    Session { id: String },
}

impl ThreadLocation {
    /// Returns the thread of a row.
    pub fn from_row(workspace: &Workspace, row: &ThreadRow) -> Self {
        match row.kind {
            Kind::Review => Self::Review(ThreadRef::from_row(workspace, row)),
            Kind::Session => Self::Session { id: row.id.clone() },
            Kind::Checkpoint => {
                let legacy = row.file.parent() == Some(workspace.checkpoints.legacy().as_path());
                let form =
                    if legacy { CheckpointFileKind::Legacy } else { CheckpointFileKind::Thread };
                Self::Checkpoint((form, row.file.clone()))
            }
        }
    }
}

/// Why no thread was found; `text` is the user's input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    #[error("no thread has this id: {text}")]
    None { text: String, near: Vec<String> },
    /// Several threads match; each candidate has an id and a description.
    #[error("ambiguous thread id: {text}")]
    Ambiguous { text: String, candidates: Vec<(String, String)> },
    /// The review thread is in the trash.
    #[error("the thread was deleted: {text}")]
    Deleted { text: String, id: String },
    /// The checkpoint is in the store of another worktree, whose top is `root`.
    #[error("the checkpoint is in another worktree: {text}")]
    OtherWorktree { text: String, id: String, root: PathBuf },
    #[error("there is no thread here yet")]
    Nothing,
    /// The text refers to a thread of another kind.
    #[error("not a checkpoint: {text}")]
    NoCheckpoint { text: String },
}

impl FindError {
    pub(crate) fn ambiguous(text: &str, candidates: Vec<(String, String)>) -> Self {
        Self::Ambiguous { text: text.to_owned(), candidates }
    }
}

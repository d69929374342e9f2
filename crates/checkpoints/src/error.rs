use std::path::PathBuf;

use skein_catalog::FindError;
use skein_format::checkpoint::{CheckpointEditError, IllegalMove, RecordError};
use skein_model::view::ResumeLockHolder;
use skein_store::RelinkError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::local::LocalError;

/// Why a checkpoint was not written. Unless stated otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Find(#[from] FindError),
    /// The file cannot be read as a checkpoint.
    #[error("the checkpoint cannot be used and is not written: {} ({reason})", path.display())]
    Unusable { path: PathBuf, reason: String },
    #[error("another user owns the store of checkpoints in {}", root.display())]
    NotOwned { root: PathBuf },
    /// Something else is where a file of the store should be.
    #[error("not a file: {}", path.display())]
    NotAFile { path: PathBuf },
    #[error("the summary is empty")]
    Empty,
    #[error("the slug cannot be part of a file's name: {slug}")]
    Slug { slug: String },
    #[error("a worker has no state `{state}`")]
    WorkerState { state: String },
    /// The record that was passed cannot be stored.
    #[error("the record is invalid")]
    Record(#[from] RecordError),
    #[error(transparent)]
    Edit(#[from] CheckpointEditError),
    #[error(transparent)]
    Move(#[from] IllegalMove),
    #[error("the checkpoint has no worker: {id}")]
    NoWorker { id: String },
    #[error("not a handoff: {id}")]
    NotAHandoff { id: String },
    /// Handoffs may be open elsewhere.
    #[error("no handoff is open in this worktree or on this branch")]
    NoHandoff { elsewhere: Vec<String> },
    #[error("no step has this id: {handle}")]
    NoStep { handle: String },
    /// The step is not the one that was shown; `now` is its text and status.
    #[error("the step was changed in the meantime: {id}")]
    StepChanged { id: String, now: String },
    #[error("the list of checkpoints to remove has changed since it was shown")]
    OtherCleanup,
    #[error("no checkpoint of a removed worktree has this id: {id}")]
    NoneToRestore { id: String },
    #[error("ambiguous id of a checkpoint of a removed worktree: {id}")]
    ManyToRestore { id: String, candidates: Vec<String> },
    #[error("no worktree with checkpoints was removed under this name: {name}")]
    NoRemovedWorktree { name: String },
    #[error("ambiguous name of a removed worktree: {name}")]
    ManyRemovedWorktrees { name: String, roots: Vec<String> },
    /// The checkpoint in the store cannot be merged with the copy; both are unchanged.
    #[error("the checkpoint cannot be merged with its copy {}: {}", copy.display(), path.display())]
    CannotMerge { path: PathBuf, copy: PathBuf },
    /// There is no store, and the caller may not create one.
    #[error("there are no checkpoints here: {}", path.display())]
    NoStore { path: PathBuf },
    /// The checkpoint was changed, but a hard link to it still has the old content.
    #[error("the checkpoint was changed, but not its copy")]
    Mirror(#[from] RelinkError),
    /// Git did not answer a process in the background, several times.
    #[error("git does not answer, so the checkpoint stays incomplete: {id}")]
    GivenUp { id: String },
    #[error("cannot save the work in the worktree")]
    Local(#[from] LocalError),
    /// An agent cannot end work that another session or person has taken.
    #[error("the work is taken {holder}: {id}")]
    Taken { id: String, holder: Box<ResumeLockHolder> },
    #[error("the handoff was closed, but its lock could not be released")]
    StillTaken(#[source] Box<ResumeLockError>),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(CheckpointError);

/// Why a resume lock was not acquired or released; `id` is the checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum ResumeLockError {
    #[error(transparent)]
    Find(#[from] FindError),
    /// Another session or person holds the lock.
    #[error("the work is taken {holder}: {id}")]
    Held { id: String, holder: Box<ResumeLockHolder> },
    #[error("the work is {status}: {id}")]
    Ended { id: String, status: String },
    #[error("this work is not taken: {id}")]
    Free { id: String },
    /// There is no directory of threads.
    #[error("there are no checkpoints here: {}", path.display())]
    NoStore { path: PathBuf },
    /// The store cannot be opened.
    #[error(transparent)]
    Open(Box<CheckpointError>),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(ResumeLockError);

impl From<CheckpointError> for ResumeLockError {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::File(error) => Self::File(error),
            error => Self::Open(Box::new(error)),
        }
    }
}

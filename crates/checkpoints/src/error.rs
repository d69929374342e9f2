use std::path::PathBuf;

use skein_catalog::FindError;
use skein_format::checkpoint::{EditError, IllegalMove, RecordError};
use skein_store::RelinkError;
use skein_workspace::FileError;
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::local::LocalError;

use super::acquire_lock::ResumeLockError;

/// Why a checkpoint was not written; what was there is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// No checkpoint is meant.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The file cannot be read as a checkpoint.
    #[error("the checkpoint cannot be used and is not written: {} ({why})", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The store belongs to another user.
    #[error("another user owns the store of checkpoints in {}", root.display())]
    NotOwned {
        /// The directory that it is in.
        root: PathBuf,
    },
    /// Something else is where a file of the store should be.
    #[error("not a file: {}", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// The summary says nothing.
    #[error("the summary is empty")]
    Empty,
    /// The slug cannot be part of a file's name.
    #[error("the slug cannot be part of a file's name: {slug}")]
    Slug {
        /// What was given.
        slug: String,
    },
    /// There is no such state of a worker.
    #[error("a worker has no state `{state}`")]
    WorkerState {
        /// What was given.
        state: String,
    },
    /// The record that was handed over cannot be kept.
    #[error("the record cannot be kept")]
    Record(#[from] RecordError),
    /// The edit makes no sense.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The worker cannot make that move.
    #[error(transparent)]
    Move(#[from] IllegalMove),
    /// The checkpoint has no worker.
    #[error("the checkpoint has no worker: {id}")]
    NoWorker {
        /// The checkpoint.
        id: String,
    },
    /// The checkpoint is no handoff.
    #[error("not a handoff: {id}")]
    NotAHandoff {
        /// The checkpoint.
        id: String,
    },
    /// No handoff of this worktree or this branch is open.
    #[error("no handoff is open in this worktree or on this branch")]
    NoHandoff {
        /// The handoffs that are open elsewhere.
        elsewhere: Vec<String>,
    },
    /// There is no such step.
    #[error("no step has this id: {handle}")]
    NoStep {
        /// What was asked for.
        handle: String,
    },
    /// The step is not what somebody saw.
    #[error("the step was changed meanwhile: {id}")]
    StepChanged {
        /// The step.
        id: String,
        /// What it says, and what became of it.
        now: String,
    },
    /// Other checkpoints would go than those that somebody saw.
    #[error("other checkpoints would go by now than those that were shown")]
    OtherCleanup,
    /// No checkpoint of a removed worktree has that id.
    #[error("no checkpoint of a removed worktree has this id: {id}")]
    NoneToRestore {
        /// What was asked for.
        id: String,
    },
    /// Several checkpoints of removed worktrees have ids that start so.
    #[error("more than one checkpoint of a removed worktree is meant by: {id}")]
    ManyToRestore {
        /// What was asked for.
        id: String,
        /// Their ids.
        candidates: Vec<String>,
    },
    /// No worktree of that name was removed.
    #[error("no worktree with checkpoints was removed under this name: {name}")]
    NoRemovedWorktree {
        /// What was asked for.
        name: String,
    },
    /// Several worktrees had that name.
    #[error("more than one removed worktree is meant by: {name}")]
    ManyRemovedWorktrees {
        /// What was asked for.
        name: String,
        /// Where they were.
        roots: Vec<String>,
    },
    /// The checkpoint that is there cannot be merged with the copy; both are as they were.
    #[error("the checkpoint cannot be merged with its copy {}: {}", copy.display(), path.display())]
    CannotMerge {
        /// The file in the store.
        path: PathBuf,
        /// The copy.
        copy: PathBuf,
    },
    /// There is no store, and whoever asked may not make one.
    #[error("there are no checkpoints here: {}", path.display())]
    NoStore {
        /// Where they would be.
        path: PathBuf,
    },
    /// The checkpoint was changed, and its second name has the old content.
    #[error("the checkpoint was changed, but not its copy")]
    Mirror(#[from] RelinkError),
    /// The work cannot be kept in the worktree either.
    #[error("the work cannot be kept in the worktree")]
    Local(#[from] LocalError),
    /// The handoff has ended, and the one that had taken it has it still.
    #[error("the handoff has ended, but is still taken")]
    StillTaken(#[source] Box<ResumeLockError>),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(CheckpointError);

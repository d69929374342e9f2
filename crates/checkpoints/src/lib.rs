//! Writes checkpoints, handoffs and steps, locks work for one session, and removes old checkpoints.
//!
//! `catalog` reads and lists them; `summary` writes the text for resuming work.

mod acquire_lock;
mod advice;
pub mod agent_session;
mod auto;
mod cleanup;
mod commit_claim;
mod error;
mod git_answers;
mod git_facts;
mod handoff;
mod handoff_end;
pub mod index_files;
mod knowledge_repos;
pub mod open;
pub mod path_format;
mod pending;
mod publish;
pub mod recent_names;
mod removed;
mod restore;
mod save;
pub mod select;
pub mod share;
mod step_change;
mod steps;
mod store_lock;
mod unfinished;
mod unfinished_record;
mod upgrade;
mod view;
mod worker;

pub use acquire_lock::{ResumeLockAction, ResumeLockChange, ResumeLockRequest, acquire, release};
pub use agent_session::Session;
pub use auto::{AutoCheckpoint, save_auto};
pub use cleanup::{
    Cleanup, CleanupFacts, CleanupOptions, KeptCheckpoint, RemovedCheckpoint, cleanup, plan_cleanup,
};
pub use error::{CheckpointError, ResumeLockError};
pub use handoff::{Handoff, HandoffResult, handoff};
pub use handoff_end::{
    HandoffAction, HandoffChange, HandoffChanged, HandoffStatus, change_handoff,
};
pub use pending::{catch_up, catch_up_here};
pub use recent_names::looks_automatic;
pub use removed::removed_checkpoints;
pub use restore::{
    Restorable, Restoration, RestoreAction, RestoreSelection, Restored, dismiss, restorable,
    restore,
};
pub use save::{Save, SaveAction, SaveResult, WorkerGiven, save};
pub use select::{OtherWork, Surroundings, WorkOrigin, WorkPlace, has_offer};
pub use step_change::{
    ExpectedStep, StepChange, StepRequest, StepResult, StepWritten, change_shown_step,
    change_step_with_text, change_steps,
};
pub use steps::{StepList, StepRow, StepsQuery, steps};
pub use unfinished::{Finished, Finisher};
pub use unfinished_record::has_unfinished;
pub use upgrade::became_full;
pub use view::view;
pub use worker::{MoveOptions, WorkerMoveResult, move_worker};

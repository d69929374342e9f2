//! Writes checkpoints, handoffs and steps, locks work for one session, and removes old checkpoints.
//!
//! Reading and listing them is the job of `catalog`; the text for resuming work is made by `summary`.

pub mod agent_session;
mod auto;
mod claim;
mod cleanup;
pub mod cwd;
mod draft;
mod error;
mod facts;
mod handoff;
mod handoff_end;
pub mod index_files;
mod knowledge;
pub mod latest;
mod mirror;
pub mod open;
mod pending;
mod publish;
mod removed;
mod restore;
mod save;
mod saved;
pub mod select;
mod session;
pub mod share;
mod step_change;
mod steps;
mod take;
mod upgrade;
mod view;
mod worker;
mod written;

pub use auto::{Auto, auto};
pub use cleanup::Facts;
pub use cleanup::preview_cleanup;
pub use cleanup::{Cleanup, CleanupOptions, Going, Staying, cleanup};
pub use error::WorkError;
pub use handoff::{HandedOver, Handoff, handoff};
pub use handoff_end::{HandoffChange, HandoffChanged, change_handoff};
pub use pending::catch_up;
pub use pending::catch_up_here;
pub use removed::{looks_automatic, removed_checkpoints};
pub use restore::{Meant, Restorable, Restoration, Restored, dismiss, restorable, restore};
pub use save::{Save, WorkerGiven, save};
pub use saved::Saved;
pub use select::{Origin, OtherWork};
pub use select::{Surroundings, has_offer};
pub use session::Session;
pub use step_change::{
    ShownStep, StepChange, StepWritten, Wanted, change_shown_step, change_steps,
};
pub use steps::{StepRow, Steps, StepsQuery, steps};
pub use take::{Owner, TakeError, Taken, release, take};
pub use upgrade::became_full;
pub use view::{file_of, view};
pub use worker::{MoveOptions, Moved, move_worker};

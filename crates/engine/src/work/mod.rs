//! Checkpoints: the state of a piece of work, so that it survives the end of a session.

pub mod agent_session;
mod auto;
mod brief;
mod claim;
mod cleanup;
mod cwd;
mod draft;
mod error;
mod facts;
mod handoff;
mod handoff_end;
pub(crate) mod index_files;
mod knowledge;
mod latest;
mod mirror;
pub(crate) mod open;
mod pending;
mod publish;
mod removed;
mod restore;
mod save;
mod saved;
mod select;
mod session;
pub(crate) mod share;
mod step_change;
mod steps;
mod take;
mod upgrade;
mod view;
mod worker;
mod written;

pub use auto::{Auto, auto};
pub use brief::{
    Agent, Before, Brief, BriefError, BriefFile, BriefReview, GitSince, GitThen, Learned, LeftOut,
    Made, brief, brief_until, short_brief,
};
pub(crate) use brief::{MAX_SHORT_BRIEF, short_brief_within};
pub(crate) use cleanup::Facts;
pub(crate) use cleanup::preview_cleanup;
pub use cleanup::{Cleanup, CleanupOptions, Going, Staying, cleanup};
pub use error::WorkError;
pub use handoff::{HandedOver, Handoff, handoff};
pub use handoff_end::{HandoffChange, HandoffChanged, change_handoff};
pub use pending::catch_up;
pub(crate) use pending::catch_up_here;
pub(crate) use removed::{looks_automatic, removed_checkpoints};
pub use restore::{Meant, Restorable, Restoration, Restored, dismiss, restorable, restore};
pub use save::{Save, WorkerGiven, save};
pub use saved::Saved;
pub use select::{Origin, OtherWork};
pub(crate) use select::{Surroundings, has_offer};
pub use session::Session;
pub use step_change::{
    ShownStep, StepChange, StepWritten, Wanted, change_shown_step, change_steps,
};
pub use steps::{StepRow, Steps, StepsQuery, steps};
pub use take::{Owner, TakeError, Taken, release, take};
pub(crate) use upgrade::became_full;
pub use view::{file_of, view};
pub use worker::{MoveOptions, Moved, move_worker};

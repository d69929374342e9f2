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
mod find;
mod handoff;
pub(crate) mod index_files;
mod knowledge;
mod latest;
pub(crate) mod open;
mod publish;
mod save;
mod saved;
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
pub(crate) use cleanup::Facts;
pub use cleanup::{Cleanup, CleanupOptions, Going, Staying, cleanup, would_go};
pub use error::WorkError;
pub(crate) use find::archived;
pub use find::file_of;
pub use handoff::{HandedOver, Handoff, handoff};
pub use save::{Save, WorkerGiven, save};
pub use saved::Saved;
pub use session::Session;
pub use step_change::{
    ShownStep, StepChange, StepWritten, Wanted, change_shown_step, change_steps,
};
pub use steps::{StepRow, Steps, StepsQuery, steps};
pub use take::{Holder, Owner, TakeError, Taken, release, take};
pub use view::view;
pub use worker::{MoveOptions, Moved, move_worker};

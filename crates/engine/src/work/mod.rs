//! Checkpoints: the state of a piece of work, so that it survives the end of a session.

pub mod agent_session;
mod brief;
mod find;
mod take;

pub use brief::{
    Agent, Brief, BriefError, BriefFile, BriefReview, GitSince, GitThen, LeftOut, Made, brief,
    short_brief,
};
pub(crate) use find::archived;
pub use take::{Holder, Owner, TakeError, Taken, release, take};

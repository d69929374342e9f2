//! Sums up a workspace: the overview of what is waiting, and the brief from which work resumes.
//!
//! It reads all kinds of threads and changes none.

mod brief;
mod overview;
pub mod removed_worktrees;

pub use brief::{
    Agent, Before, Brief, BriefError, BriefFile, BriefReview, GitSince, GitThen, Learned, LeftOut,
    MAX_SHORT_BRIEF, Made, brief, brief_until, short_brief, short_brief_within,
};
pub use overview::{Groups, OpenWork, Overview, Recent, WorkRow, group, overview, recent};

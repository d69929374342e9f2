//! Summarizes a workspace: the overview of open work, and the brief for resuming it.
//!
//! It reads all kinds of threads and changes none.

mod advice;
mod brief;
mod overview;
pub mod removed_worktrees;

pub use brief::{
    AgentSummary, Brief, BriefError, BriefFile, BriefReader, BriefReview, CommitInfo, ExtraNotes,
    GitAtSave, GitNow, MAX_SHORT_BRIEF, Omitted, PreviousCheckpoint, brief, brief_until,
    short_brief,
};
pub use overview::{Overview, RecentActivity, ThreadGroups, WorkRow, group, overview, recent};

//! Keeps a workspace in memory, up to date with its files, and reports what changes.
//!
//! It serves the browser page, `skein watch`, `skein mcp` and `skein lsp`; it writes nothing except the copies of worktrees and the
//! cache of locations.

mod cache;
pub mod events;
pub mod links;
mod tracked_dir;

pub use cache::{
    ChangeEvent, CheckpointRefs, FileText, HandoffTarget, LiveWorkspace, SessionList,
    ThreadSnapshot, Timeline, TimelineEntry,
};

//! Keeps a workspace in memory, up to date with its files, and reports what changes.
//!
//! It serves the browser page and `skein watch`; it writes nothing except the copies of worktrees.

mod desk;
pub mod links;
pub mod watching;

pub use desk::{CheckpointRefs, Desk, Entry, Event, Roll, Text, Threads, Timeline};

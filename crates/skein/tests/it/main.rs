//! The binary as a user runs it, and checks on the project as a whole.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests start the program, and what they set up needs no durability"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod checkpoints;
mod cli;
mod crowd;
mod foreign;
mod hook;
mod kill;
mod merge;
mod place;
#[cfg(unix)]
mod placing;
mod read_only;
mod readme;
mod removed_worktree;
mod serve;
mod sessions;
mod support;
mod take;
mod tidy;
#[cfg(target_os = "linux")]
mod transcript;
#[cfg(target_os = "linux")]
mod wait;
mod watch;

//! The binary as a user runs it, and checks on the project as a whole.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests start the program, and their files need no durability"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic fails the test")]

#[cfg(unix)]
mod bridge;
mod checkpoints;
mod cli;
mod concurrent_replies;
#[cfg(unix)]
mod deliver;
mod demo_overview;
mod expected_state;
#[cfg(unix)]
mod git_calls;
mod hook;
mod hostile_worktree;
mod killed_process;
mod mcp;
mod merge;
mod other_writers;
mod place;
mod read_only;
mod removed_worktree;
mod resume_lock;
mod serve;
mod sessions;
mod support;
mod tidy;
#[cfg(target_os = "linux")]
mod transcript;
#[cfg(target_os = "linux")]
mod wait;
mod watch;
mod watch_code;

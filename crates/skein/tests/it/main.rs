//! The binary as a user runs it, and checks on the project as a whole.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests start the program, and what they set up needs no durability"
)]
#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod cli;
mod merge;
mod readme;
mod tidy;
#[cfg(target_os = "linux")]
mod transcript;
#[cfg(target_os = "linux")]
mod wait;

//! The use cases of checkpoints on real directories.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod archive;
mod cleanup;
mod handoffs;
mod hostile_sandbox;
mod names;
mod oddities;
mod removed_checkpoints;
mod resume_lock;
mod sandbox;
mod saving;
mod states;
mod steps;
mod worker;

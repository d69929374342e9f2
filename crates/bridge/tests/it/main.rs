//! The state machine against servers in memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod answers;
mod asks;
mod clock;
mod commands;
mod ended;
mod files;
mod gaps;
mod kills;
mod lifecycle;
mod local;
mod random;
mod refusals;
mod rights;
mod threads;
mod unposted;
mod world;

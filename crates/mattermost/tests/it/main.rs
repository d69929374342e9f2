//! The client against a stand-in that has faults, and against a real server.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod events;
mod proxy;
mod real;
mod real_events;
mod real_server;
mod recorded;
mod rest;
mod stand_in;

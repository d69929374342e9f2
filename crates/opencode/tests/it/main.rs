//! Tests of the client against a stand-in for faults, and against a real server.

#![expect(clippy::disallowed_methods, reason = "what a test sets up needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets something unexpected has failed"
)]

mod calls;
mod child;
mod events;
mod real;

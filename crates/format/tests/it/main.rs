//! The three formats under ugly files, random bytes, hostile sizes, and their own documentation.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests read their own files, and write them when they are told to"
)]
#![expect(clippy::print_stdout, reason = "a test that fails names its file")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets something unexpected has failed"
)]

mod behaviour;
mod change;
mod checkpoint_merge;
mod closing;
mod create;
mod docs;
mod legacy;
mod limits;
mod merge;
mod property;
mod repair;
mod secrets;
mod session;
mod show;
mod snapshot;
mod ugly;
mod unite;

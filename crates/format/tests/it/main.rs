//! The three formats with ugly files, random bytes, very large inputs, and the examples of their documentation.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests read their own files, and write them if `SKEIN_BLESS` is set"
)]
#![expect(clippy::print_stdout, reason = "a failing test names its file")]
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
mod conflict_merge;
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

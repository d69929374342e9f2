//! Lists, lookup and locations on real directories.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod filter;
mod find;
mod list;
mod placement;
mod show;

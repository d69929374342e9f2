//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "what a test sets up needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod connect;
mod links;
mod timeline;
mod watching;
mod workspace;

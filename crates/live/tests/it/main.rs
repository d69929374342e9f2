//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "the files of a test need no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic fails the test"
)]

mod connect;
mod links;
mod timeline;
mod versions;
mod watching;
mod workspace;

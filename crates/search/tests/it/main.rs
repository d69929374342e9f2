//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "the files of a test need no durability")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod memory;
mod search;

//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "what a test sets up needs no durability")]
#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod search;

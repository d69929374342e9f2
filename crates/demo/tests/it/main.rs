//! The use cases on real directories.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod demo;

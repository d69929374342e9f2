//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "what a test sets up needs no durability")]

mod brief;
mod brief_before;
mod short;

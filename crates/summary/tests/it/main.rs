//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "the files of a test need no durability")]

mod brief;
mod brief_before;
mod short;

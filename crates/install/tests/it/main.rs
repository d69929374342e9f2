//! Installing and sharing on real directories.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod install;
mod share;

//! Imports on real directories.

#![expect(clippy::unwrap_used, reason = "a test that meets something unexpected has failed")]

mod import;

//! Discovery, settings and state files on real directories.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod discovery;
mod endpoint;
mod settings;
mod state_file;
mod trust;
mod workspaces;

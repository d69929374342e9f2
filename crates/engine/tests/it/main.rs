//! The use cases on real directories.

#![expect(clippy::disallowed_methods, reason = "what a test sets up needs no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

mod apply_again;
mod apply_shown;
mod bom;
mod check;
mod connect;
mod demo;
mod desk;
mod discovery;
mod doctor;
mod door;
mod drafts;
mod edit;
mod export;
mod extension;
mod find;
mod fixture;
mod hook;
mod import;
mod install;
mod legacy;
mod links;
mod list;
mod mend;
mod next;
mod placement;
mod power;
mod removed_checkpoints;
mod sandbox;
mod saving;
mod search;
mod sessions;
mod settings;
mod settle;
mod show;
mod suggestions;
mod tend;
mod timeline;
mod trust;
mod wait;
mod watching;
mod workspaces;
mod worktree_copy;

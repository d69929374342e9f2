//! The use cases of reviews on real directories.

#![expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
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
mod diff;
mod drafts;
mod edit;
mod export;
mod extension;
mod next;
mod other_writer;
mod repeated;
mod set_status;
mod submodules;
mod suggestions;
mod thread_text;
mod wait;
mod worktree_copy;

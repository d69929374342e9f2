//! Reads threads of all kinds: rows, names, lists, lookup by id, and the current location of commented code.
//!
//! Nothing here changes a thread; the crates above do.

pub mod branches;
pub mod checkpoint_lookup;
pub mod checkpoint_rows;
pub mod checkpoint_state;
pub mod claims;
pub mod deleted_reviews;
mod described;
pub mod drafts;
pub mod find;
pub mod handle;
pub mod handoff;
pub mod ids;
pub mod list;
pub mod location;
pub mod other;
pub mod other_stores;
pub mod other_worktrees;
pub mod placed;
pub mod placement;
pub mod read;
pub mod removed_reviews;
pub mod resume_lock;
pub mod show;
pub mod source_text;
pub mod thread;
pub mod turn;
pub mod typed_path;
pub mod worktree_copy;

pub use handle::Handles;
pub use ids::{Named, names};
pub use list::{Scope, list, occurs};
pub use location::{FindError, Found};
pub use other_worktrees::{OtherWorktree, other_worktrees};
pub use show::{ShowError, expand, show};
pub use typed_path::{UnknownPath, resolve_file};
pub use worktree_copy::refresh_copies;

//! Reads threads of all kinds: rows, names, lists, lookup by id, and the current location of commented code.
//!
//! Nothing here changes a thread.

pub mod advice;
pub mod branches;
pub mod checkpoint_lookup;
pub mod checkpoint_rows;
pub mod checkpoint_state;
pub mod deleted_reviews;
mod described;
pub mod drafts;
pub mod find;
pub mod handoff_pointer;
pub mod leases;
pub mod list;
pub mod location;
pub mod origins;
pub mod other_stores;
pub mod other_worktrees;
pub mod placed;
pub mod placement;
pub mod removed_reviews;
pub mod resume_lock;
pub mod review_thread;
pub mod rounds;
pub mod rows;
pub mod short_ids;
pub mod show;
pub mod source_text;
mod submodules;
pub mod thread_names;
pub mod turn;
pub mod typed_path;
pub mod unknown_fields;
mod worktree_states;

pub use find::find_review_by_id;
pub use list::{WorktreeScope, has_thread, list, occurs, value_filter};
pub use location::{FindError, ThreadLocation, ThreadRef};
pub use other_worktrees::{OtherWorktree, other_worktrees};
pub use short_ids::ShortIds;
pub use show::{ShowError, expand, show, show_review};
pub use skein_workspace::worktree_copy::{self, refresh_copies};
pub use submodules::submodules;
pub use thread_names::{ThreadName, names};
pub use typed_path::{UnknownPath, resolve_file};

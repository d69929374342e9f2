//! Review threads: everything that changes them.
//!
//! Each use case takes the lock of the store, applies its operation to what is on disk at that moment, and
//! applies it anew when another program wrote in between.

mod add;
mod agents_file;
mod apply;
pub(crate) mod capture;
mod changes;
mod check;
mod claim;
mod comment;
mod delete;
mod diff;
pub(crate) mod draft;
pub(crate) mod exclude;
mod export;
mod import;
pub(crate) mod index;
mod items;
mod next;
pub(crate) mod open;
mod permission;
mod prompt;
mod quote;
mod reanchor;
mod restore;
pub(crate) mod round;
mod sheet;
pub(crate) mod source;
mod status;
mod target;
mod update;
mod viewed;
mod wait;
mod write_error;
mod written;

use crate::layout::Workspace;
use crate::place;

pub use crate::claims::Claim;
pub use crate::deleted_reviews::{Deleted, RemovedFrom, deleted, place_deleted};
pub use crate::drafts::drafts;
pub use crate::list::drafts_matching;
pub use crate::placed::{is_on_file, place_rows, place_written};
pub use crate::removed_reviews::{RemovedWorktree, removed_worktrees};
pub use add::{AddError, AddOptions, Added, NewThread, add};
pub(crate) use agents_file::TEXT as AGENTS_TEXT;
pub use apply::{
    Applied, ApplyError, ApplyOptions, ApplyShownError, Preview, apply, apply_shown, preview,
};
pub(crate) use changes::Sides;
pub use changes::{ChangesError, ChangesQuery, check_changes};
pub use check::{Checked, OpenThread, check};
pub use claim::{Released, release};
pub use comment::{CommentError, Editable, ReplyOptions, edit, editable, reply};
pub use delete::{clear, delete};
pub use diff::diff;
pub(crate) use diff::{compare, compare_again};
pub use export::{ExportOptions, Exported, export, markdown};
pub use import::{Failed, Format, ImportError, ImportOptions, Imported, import};
pub use items::{Item, ItemsError, items};
pub use next::{Next, NextError, NextOptions, next};
pub use open::{code_file, file_of, root_of, writable};
pub use permission::agents_may_resolve;
pub use restore::{RestoreError, dismiss_worktree, restore, restore_last, restore_worktree};
pub(crate) use round::{MARK, move_rounds};
pub use round::{SubmitError, Submitted, submit};
pub use sheet::{Sheet, SheetComments, Unplaced};
pub use status::{Settled, reopen, resolve, settle};
pub use target::{Place, PlaceError, excerpt};
pub use viewed::{set_viewed, viewed};
pub use wait::{WaitOptions, Waited, wait};
pub use write_error::WriteError;

/// Returns whether only changed lines may be commented on: as set, else as the editor's settings say.
pub fn changed_only(workspace: &Workspace) -> bool {
    let root = &workspace.reviews.root;
    let set = workspace.settings.changed_only();
    set.or_else(|| place::only_changes(root)).unwrap_or(false)
}

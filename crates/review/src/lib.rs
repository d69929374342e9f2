//! Changes review threads: adds, answers, resolves, applies, moves, deletes and restores them.
//!
//! Finding where commented code is now is the job of `catalog`.

pub mod add;
mod agents_file;
mod apply;
use skein_workspace::{Workspace, place};

pub mod capture;
mod changes;
mod check;
mod claim;
mod comment;
mod delete;
mod diff;
pub(crate) mod draft;
pub mod exclude;
mod export;
pub mod index;
pub mod items;
mod next;
pub mod open;
mod permission;
mod prompt;
pub mod quote;
mod reanchor;
mod restore;
pub mod round;
mod sheet;
pub mod source;
mod status;
pub mod target;
mod update;
mod viewed;
mod wait;
pub mod write_error;
mod written;

pub use add::{AddError, AddOptions, Added, NewThread, add};
pub use agents_file::TEXT as AGENTS_TEXT;
pub use apply::{
    Applied, ApplyError, ApplyOptions, ApplyShownError, Preview, apply, apply_shown, preview,
};
pub use changes::Sides;
pub use changes::{ChangesError, ChangesQuery, check_changes};
pub use check::{Checked, OpenThread, check};
pub use claim::{Released, release};
pub use comment::{CommentError, Editable, ReplyOptions, edit, editable, reply};
pub use delete::{clear, delete};
pub use diff::diff;
pub use diff::{compare, compare_again};
pub use export::{ExportOptions, Exported, export, markdown};
pub use items::{Item, ItemsError, items};
pub use next::{Next, NextError, NextOptions, next};
pub use open::{code_file, file_of, root_of, writable};
pub use permission::agents_may_resolve;
pub use restore::{RestoreError, dismiss_worktree, restore, restore_last, restore_worktree};
pub use round::{MARK, move_rounds};
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

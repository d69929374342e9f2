//! Changes review threads: adds, answers, resolves, applies, moves, deletes and restores them.
//!
//! Finding where commented code is now is the job of `catalog`.

use skein_workspace::{Workspace, store_location};

pub mod add;
mod advice;
mod agents_file;
mod annotated_diff;
mod apply;
mod changes;
mod check;
mod claim;
mod comment;
pub mod comment_input;
mod delete;
mod diff;
pub(crate) mod draft;
pub mod exclude;
mod export;
pub mod git_context;
pub mod index;
mod next;
pub mod open;
mod permission;
mod prompt;
pub mod quote;
mod reanchor;
mod restore;
pub mod source;
mod status;
pub mod submission;
pub mod target;
mod update;
mod viewed;
mod wait;
pub mod write_error;
mod write_result;

pub use add::{AddError, AddOptions, Added, NewThread, add};
pub use agents_file::TEXT as AGENTS_TEXT;
pub use annotated_diff::{AnnotatedDiff, SheetComments, Unplaced};
pub use apply::{
    Applied, ApplyError, ApplyOptions, Preview, StalePreview, apply, apply_previewed, preview,
};
pub use changes::DiffSides;
pub use changes::{ChangesError, ChangesQuery, check_changes};
pub use check::{CheckResult, OpenThread, check};
pub use claim::{Released, release};
pub use comment::{CommentError, EditableComment, ReplyOptions, edit, editable, reply};
pub use comment_input::{CommentInput, ItemsError, items};
pub use delete::{clear, delete};
pub use diff::diff;
pub use diff::{compare, compare_again};
pub use export::{ExportOptions, Exported, export, markdown};
pub use next::{Next, NextError, NextOptions, next};
pub use open::{code_file, file_of, root_of, writable};
pub use permission::agents_may_resolve;
pub use restore::{RestoreError, dismiss_worktree, restore, restore_last, restore_worktree};
pub use status::{Settled, reopen, resolve, settle};
pub use submission::{SUBMIT_FILE, move_rounds};
pub use submission::{SubmitError, SubmitResult, submit};
pub use target::{CodeLocation, LocationError, excerpt};
pub use viewed::{set_viewed, viewed};
pub use wait::{WaitOptions, Waited, wait};
pub use write_error::WriteError;

/// Returns whether only changed lines may be commented on: as set, else as the editor's settings say.
pub fn changed_only(workspace: &Workspace) -> bool {
    let root = &workspace.reviews.root;
    let set = workspace.settings.changed_only();
    set.or_else(|| store_location::only_changes(root)).unwrap_or(false)
}

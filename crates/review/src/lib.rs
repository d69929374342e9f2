//! Changes review threads: adds, answers, resolves, applies, moves, deletes and restores them.
//!
//! `catalog` finds the current location of commented code.

use skein_workspace::{Workspace, store_location};

pub mod add;
mod advice;
mod annotated_diff;
mod apply;
mod changes;
mod check;
mod comment;
pub mod comment_input;
mod delete;
mod diff;
pub mod exclude;
mod export;
mod find;
pub mod git_context;
pub mod index;
mod next;
pub mod open;
mod permission;
mod prompt;
pub mod quote;
mod reanchor;
mod repeated;
mod restore;
mod status;
pub mod submission;
pub mod target;
mod thread_text;
mod update;
mod viewed;
mod wait;
pub mod write_error;
mod write_result;

pub use add::{AddError, AddOptions, AddResult, NewThread, add};
pub use annotated_diff::{AnnotatedDiff, SheetComments, Unplaced};
pub use apply::{
    Applied, ApplyError, ApplyOptions, StalePreview, SuggestedEdit, apply, apply_previewed,
    preview, suggested_edit,
};
pub use changes::{ChangesError, ChangesQuery, DiffSides, check_changes};
pub use check::{CheckResult, OpenThread, check};
pub use comment::{CommentError, EditableComment, ReplyOptions, edit, editable, reply};
pub use comment_input::{CommentInput, ItemsError, items};
pub use delete::{clear, delete};
pub use diff::{compare, compare_again, diff};
pub use export::{ExportOptions, Exported, export, markdown, views};
pub use find::{CodeFile, find, find_all, find_to_settle};
pub use next::{NextError, NextOptions, NextResult, Released, next, release};
pub use open::AGENTS_TEXT;
pub use permission::{ResolvePermission, check_delete, resolve_permission};
pub use prompt::has_suggestion;
pub use repeated::is_repeated;
pub use restore::{RestoreError, dismiss_worktree, restore, restore_last, restore_worktree};
pub use status::{SettleResult, set_status, settle};
pub use submission::{SUBMIT_FILE, SubmitError, SubmitResult, move_rounds, submit};
pub use target::{CodeLocation, LocationError, Source, excerpt};
pub use thread_text::{thread_text, turn_text};
pub use viewed::{set_viewed, viewed};
pub use wait::{Cancel, WaitOptions, Waited, wait};
pub use write_error::WriteError;

/// Returns whether comments are allowed only on changed lines: from the settings, else from the editor's settings.
pub fn changed_only(workspace: &Workspace) -> bool {
    let root = &workspace.reviews.root;
    let set = workspace.settings.changed_only();
    set.or_else(|| store_location::only_changes(root)).unwrap_or(false)
}

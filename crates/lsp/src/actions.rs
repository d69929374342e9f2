//! What can be done on lines, for the menu of an editor.

use std::sync::Arc;

use serde_json::{Value, json};
use skein_model::view::ThreadView;
use skein_review::has_suggestion;

use crate::client::Client;
use crate::command_names::{APPLY, COMMENT, DRAFT, OPEN, POST, REOPEN, REPLY, RESOLVE};
use crate::document::Document;
use crate::folder::LoadedFolder;
use crate::inline_comment::InlineComment;
use crate::protocol::{CodeAction, Command};
use crate::thread_line;

/// Maximum number of resolved threads of a line that can be opened again from the menu.
const MAX_RESOLVED: usize = 3;

/// Returns the actions for the lines from `first` to `last`. None is marked preferred or fix-all, so saving applies none.
pub(crate) fn actions(
    folder: &LoadedFolder,
    client: Client,
    (document, views): (&Document, &[Arc<ThreadView>]),
    (first, last): (u32, u32),
) -> Vec<CodeAction> {
    let is_there = |view: &&Arc<ThreadView>| {
        let (start, end) = thread_line::lines(view);
        start <= last && first <= end
    };
    let (open, resolved): (Vec<_>, Vec<_>) =
        views.iter().filter(is_there).partition(|view| thread_line::is_open(view));
    let mut actions: Vec<CodeAction> =
        open.iter().flat_map(|view| of_thread(folder, view)).collect();
    let resolved = resolved.iter().rev().take(MAX_RESOLVED);
    actions.extend(resolved.map(|view| action(folder, view, "Reopen", REOPEN_KIND, REOPEN)));
    let uri = &document.uri;
    if let Some(comment) = InlineComment::at(&document.buffer, first) {
        let title = "Post this line as a comment, and remove it".to_owned();
        let arguments = vec![json!(uri), json!(comment.lines.0 + 1)];
        let command = Command { title: title.clone(), command: POST, arguments };
        actions.push(CodeAction { title, kind: POST_KIND, command });
    }
    if client.offers_comments {
        let lines = if first == last {
            format!("line {}", first + 1)
        } else {
            format!("lines {} to {}", first + 1, last + 1)
        };
        let arguments: Vec<Value> = vec![json!(uri), json!(first + 1), json!(last + 1)];
        for (start, kind, command) in
            [("Comment on", COMMENT_KIND, COMMENT), ("Draft a comment on", DRAFT_KIND, DRAFT)]
        {
            let title = format!("{start} {lines}");
            let command = Command { title: title.clone(), command, arguments: arguments.clone() };
            actions.push(CodeAction { title, kind, command });
        }
    }
    actions
}

const APPLY_KIND: &str = "quickfix.skein.apply";
const REPLY_KIND: &str = "quickfix.skein.reply";
const RESOLVE_KIND: &str = "quickfix.skein.resolve";
const REOPEN_KIND: &str = "quickfix.skein.reopen";
const OPEN_KIND: &str = "quickfix.skein.open";
const POST_KIND: &str = "quickfix.skein.post";
/// Of the kind `source`, for which no editor shows a sign on every line.
const COMMENT_KIND: &str = "source.skein.comment";
const DRAFT_KIND: &str = "source.skein.draft";

/// Returns whether a kind is one of those that a client asks for, or below one.
pub(crate) fn is_wanted(kind: &str, only: &[String]) -> bool {
    let is_below = |wanted: &String| {
        kind.strip_prefix(wanted.as_str())
            .is_some_and(|rest| wanted.is_empty() || rest.is_empty() || rest.starts_with('.'))
    };
    only.is_empty() || only.iter().any(is_below)
}

fn of_thread(folder: &LoadedFolder, view: &ThreadView) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    let one = |name, kind, command| action(folder, view, name, kind, command);
    let has_lines = view.placement().is_some_and(|at| at.start_line.is_some());
    let can_apply = has_lines && !thread_line::is_draft(view);
    if can_apply && view.review_body().is_some_and(has_suggestion) {
        actions.push(one("Apply the suggestion of", APPLY_KIND, APPLY));
    }
    if !thread_line::is_draft(view) {
        actions.push(one("Reply to", REPLY_KIND, REPLY));
        actions.push(one("Resolve", RESOLVE_KIND, RESOLVE));
    }
    actions.push(one("Open the file of", OPEN_KIND, OPEN));
    actions
}

fn action(
    folder: &LoadedFolder,
    view: &ThreadView,
    name: &str,
    kind: &'static str,
    command: &'static str,
) -> CodeAction {
    let first = view.review_body().and_then(|body| body.comments.first());
    let text = first.map(|comment| format!(" ({})", thread_line::comment(comment)));
    let title = format!("{name} {}{}", folder.short_id(view), text.unwrap_or_default());
    let arguments = vec![json!(view.row.file)];
    let command = Command { title: title.clone(), command, arguments };
    CodeAction { title, kind, command }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_compared_by_their_parts() {
        let only = |kinds: &[&str]| kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>();
        assert!(is_wanted(REPLY_KIND, &[]));
        assert!(is_wanted(REPLY_KIND, &only(&["refactor", "quickfix"])));
        assert!(is_wanted(REPLY_KIND, &only(&[""])));
        assert!(!is_wanted(REPLY_KIND, &only(&["quick"])));
        assert!(!is_wanted(COMMENT_KIND, &only(&["source.fixAll", "source.organizeImports"])));
    }
}

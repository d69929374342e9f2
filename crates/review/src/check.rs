//! Checks whether any thread is open, for scripts.

use serde::Serialize;
use skein_catalog::{WorktreeScope, list};
use skein_format::diagnostic::Code;
use skein_model::view::{FileDiagnostic, ThreadRow, ThreadView};
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;

use super::export::views;
use super::next::oldest_first;

/// The result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckResult {
    /// Whether no thread is open and all files could be read.
    pub ok: bool,
    /// The open threads at the current location of their code, oldest first.
    pub open: Vec<OpenThread>,
    /// Unusable threads, whose status is unknown.
    pub unusable: Vec<ThreadRow>,
    /// Stores that cannot be read.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// An open thread.
#[derive(Clone, Debug, Serialize)]
pub struct OpenThread {
    /// The row as in a list.
    #[serde(flatten)]
    pub row: ThreadRow,
    /// The author of the first comment.
    pub author: Option<String>,
}

/// Finds the open threads that match, and the files whose status is unknown.
pub fn check(workspace: &Workspace, filter: &Filter) -> CheckResult {
    let listed = |filter: &Filter| list(workspace, filter, WorktreeScope::ThisWorktree);
    let all = listed(&Filter { kind: Some(Kind::Review), ..Filter::default() });
    let unusable = all.threads.into_iter().filter(|row| !row.usable).map(|row| *row).collect();
    let unreadable = Code::StoreUnreadable.as_str();
    let diagnostics = all.diagnostics.into_iter().filter(|diag| diag.code == unreadable).collect();
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..filter.clone() };
    let rows = oldest_first(listed(&filter).threads);
    let mut views = views(workspace, &rows).into_iter().peekable();
    // A listed thread that can no longer be read counts as open.
    let open =
        rows.into_iter().filter_map(|row| match views.next_if(|view| view.row.file == row.file) {
            Some(view) => view.row.usable.then(|| opened(view)),
            None => Some(OpenThread { row, author: None }),
        });
    let open = open.collect();
    let mut checked = CheckResult { ok: false, open, unusable, diagnostics };
    checked.ok =
        checked.open.is_empty() && checked.unusable.is_empty() && checked.diagnostics.is_empty();
    checked
}

fn opened(view: ThreadView) -> OpenThread {
    let first = view.review_body().and_then(|body| body.comments.first());
    OpenThread { author: first.map(|comment| comment.author.clone()), row: view.row }
}

//! Whether anything is left open, for scripts.

use serde::Serialize;
use skein_catalog::{WorktreeScope, list};
use skein_format::diagnostic::Code;
use skein_model::view::{FileDiagnostic, ThreadRow, ThreadView};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, Workspace};

use super::export::views;
use super::next::oldest_first;

/// What a check found.
#[derive(Clone, Debug, Serialize)]
pub struct CheckResult {
    /// Whether nothing is open, and everything could be read.
    pub ok: bool,
    /// The open threads at the place where their code is now, the oldest first.
    pub open: Vec<OpenThread>,
    /// Threads that cannot be used; whether they are open is not known.
    pub unusable: Vec<ThreadRow>,
    /// Stores that cannot be read.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A thread that is open.
#[derive(Clone, Debug, Serialize)]
pub struct OpenThread {
    /// What the list shows of it.
    #[serde(flatten)]
    pub row: ThreadRow,
    /// Who started it.
    pub author: Option<String>,
}

/// Finds the open threads that pass, and everything that cannot be judged.
pub fn check(workspace: &Workspace, env: &Env, filter: &Filter) -> CheckResult {
    let listed = |filter: &Filter| list(workspace, env, filter, WorktreeScope::ThisWorktree);
    let all = listed(&Filter { kind: Some(Kind::Review), ..Filter::default() });
    let unusable = all.threads.into_iter().filter(|row| !row.usable).map(|row| *row).collect();
    let unreadable = Code::StoreUnreadable.as_str();
    let diagnostics = all.diagnostics.into_iter().filter(|diag| diag.code == unreadable).collect();
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..filter.clone() };
    let rows = oldest_first(listed(&filter).threads);
    let mut views = views(workspace, env, &rows).into_iter().peekable();
    // A thread that was listed and cannot be read after all is open, for all that is known.
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

//! Threads, changes and files.

use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::json;
use skein_model::view::ThreadView;
use skein_model::view::{DiffFile, FileDiagnostic};
use skein_model::{Filter, Kind};
use skein_review::{ExportOptions, Exported};

use super::{IdParams, filter, find, has_status, markdown};
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::request::{ParamsRequest, PathParams};

#[derive(Serialize)]
struct ThreadList<'a> {
    threads: Vec<&'a ThreadView>,
    drafts: Vec<&'a ThreadView>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the threads that match the parameters, and the drafts.
pub(super) fn threads(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&["status", "waiting", "file"])?;
    let filter = filter(app, &params, Kind::Review, &["status", "waiting", "file"])?;
    let all = app.live.threads();
    let on_file = |view: &&ThreadView| {
        filter.file.is_none() || skein_catalog::placed::is_on_file(view, &filter)
    };
    let threads = all.views.iter().map(AsRef::as_ref).filter(on_file);
    let threads =
        threads.filter(|view| has_status(&view.row, &filter) && filter.is_turn_in(&view.row));
    let drafts = all.drafts.iter().map(AsRef::as_ref).filter(on_file);
    let (threads, drafts) = (threads.collect(), drafts.collect());
    Ok(Json(ThreadList { threads, drafts, diagnostics: &all.diagnostics }).into_response())
}

pub(super) fn thread(
    app: &AppState,
    (PathParams(id), params): IdParams,
) -> Result<Response, WebError> {
    params.only(&[])?;
    Ok(Json(find(app, &id)?.as_ref()).into_response())
}

/// Returns the prompt for an agent about one thread.
pub(super) fn prompt(
    app: &AppState,
    (PathParams(id), params): IdParams,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let threads = vec![find(app, &id)?.as_ref().clone()];
    Ok(exported(app, &Exported { threads, claimed: 0 }))
}

/// Returns the prompt for an agent about all threads that wait on it.
pub(super) fn all_prompts(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&[])?;
    let options = ExportOptions { all: false, token: None };
    let all = skein_review::export(&app.live.workspace(), &Filter::default(), &options);
    Ok(exported(app, &all))
}

fn exported(app: &AppState, all: &Exported) -> Response {
    // The person who copies it into an agent sees neither control characters nor what an agent replaces.
    markdown(skein_review::markdown(&app.live.workspace(), all, false).into_string())
}

/// The same as `model::view::Diff`, without copies of the threads.
#[derive(Serialize)]
struct BorrowedDiff<'a> {
    title: &'a str,
    files: &'a [DiffFile],
    threads: Vec<&'a ThreadView>,
}

/// Returns the changed files, with the threads on them.
pub(super) fn diff(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&["base", "staged", "since-submit", "path", "resolved"])?;
    let changes = app.live.changes(&params.changes())?;
    let all = app.live.threads();
    let with_resolved = params.get("resolved").is_some();
    let is_on_diff = |view: &&ThreadView| {
        let differs = |path: &str| changes.files.iter().any(|file| file.path == path);
        let open = with_resolved || view.row.status.as_deref() == Some("open");
        view.row.usable && open && view.path().is_some_and(differs)
    };
    let threads = all.views.iter().map(AsRef::as_ref).filter(is_on_diff).collect();
    let diff = BorrowedDiff { title: &changes.title, files: &changes.files, threads };
    Ok(Json(diff).into_response())
}

/// Returns a file of the worktree.
pub(super) fn file(
    app: &AppState,
    (PathParams(path), params): IdParams,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let text = app.live.file(&path)?;
    let file = json!({ "path": path, "lines": text.lines, "content": text.content });
    Ok(Json(file).into_response())
}

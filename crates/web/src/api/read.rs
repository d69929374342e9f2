//! Threads, changes and files as they are.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::header::CONTENT_TYPE;
use serde::Serialize;
use skein_model::sanitize::escape_control;
use skein_model::view::{DiffFile, FileDiagnostic, ThreadView};
use skein_model::{Filter, Kind};
use skein_review::{ExportOptions, Exported};

use super::{filter, find};
use crate::error::WebError;
use crate::json::Json;
use crate::request::{PathParams, QueryParams};
use crate::site::AppState;

#[derive(Serialize)]
struct Listed<'a> {
    threads: Vec<&'a ThreadView>,
    drafts: Vec<&'a ThreadView>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the threads that pass, and the drafts.
pub(super) async fn threads(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&["status", "waiting", "file"])?;
        let filter = filter(site, &pairs, Kind::Review, &["status", "waiting", "file"])?;
        let all = site.desk.threads();
        let passes = |view: &&ThreadView| {
            let status = filter.status.as_deref();
            let is = |is: Option<&str>, wanted: &str| {
                is.is_some_and(|is| is.eq_ignore_ascii_case(wanted))
            };
            status.is_none_or(|status| is(view.row.status.as_deref(), status))
                && filter.is_turn_in(&view.row)
        };
        let on_file = |view: &&ThreadView| {
            filter.file.is_none() || skein_catalog::placed::is_on_file(view, &filter)
        };
        let views = all.views.iter().map(AsRef::as_ref).filter(on_file).filter(passes);
        let drafts = all.drafts.iter().map(AsRef::as_ref).filter(on_file);
        let (threads, drafts) = (views.collect(), drafts.collect());
        Ok(Json(Listed { threads, drafts, diagnostics: &all.diagnostics }).into_response())
    })
    .await
}

/// Answers with one thread or draft.
pub(super) async fn thread(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        Ok(Json(find(site, &id)?.as_ref()).into_response())
    })
    .await
}

/// Answers with what to give an agent about one thread.
pub(super) async fn prompt(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let threads = vec![find(site, &id)?.as_ref().clone()];
        Ok(markdown(&skein_review::markdown(
            &site.desk.workspace(),
            &Exported { threads, claimed: 0 },
        )))
    })
    .await
}

/// Answers with what to give an agent about all that waits on it.
pub(super) async fn all_prompts(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let workspace = site.desk.workspace();
        let options = ExportOptions { all: false, token: None };
        let all = skein_review::export(&workspace, &site.env, &Filter::default(), &options);
        Ok(markdown(&skein_review::markdown(&workspace, &all)))
    })
    .await
}

fn markdown(text: &str) -> Response {
    let headers = [(CONTENT_TYPE, "text/markdown; charset=utf-8")];
    // An agent must not read what the person who copies it does not see.
    (headers, Body::from(escape_control(text).into_owned())).into_response()
}

/// The same as `engine::view::Diff`, without copies of the threads.
#[derive(Serialize)]
struct Compared<'a> {
    title: &'a str,
    files: &'a [DiffFile],
    threads: Vec<&'a ThreadView>,
}

/// Compares as asked, with the threads on what differs.
pub(super) async fn diff(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&["base", "staged", "since-submit", "path", "resolved"])?;
        let changes = site.desk.changes(&pairs.changes())?;
        let all = site.desk.threads();
        let with_resolved = pairs.get("resolved").is_some();
        let is_meant = |view: &&ThreadView| {
            let differs = |path: &str| changes.files.iter().any(|file| file.path == path);
            let open = with_resolved || view.row.status.as_deref() == Some("open");
            view.row.usable && open && view.path().is_some_and(differs)
        };
        let threads = all.views.iter().map(AsRef::as_ref).filter(is_meant).collect();
        let compared = Compared { title: &changes.title, files: &changes.files, threads };
        Ok(Json(compared).into_response())
    })
    .await
}

#[derive(Serialize)]
struct WholeFile<'a> {
    path: &'a str,
    lines: &'a [String],
    content: &'a str,
}

/// Answers with a file of the worktree as it is.
pub(super) async fn file(
    State(site): State<Arc<AppState>>,
    PathParams(path): PathParams<String>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let text = site.desk.file(&path)?;
        let file = WholeFile { path: &path, lines: &text.lines, content: &text.content };
        Ok(Json(file).into_response())
    })
    .await
}

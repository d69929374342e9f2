//! The JSON API, used by programs and by the scripts of the pages.

mod add;
mod apply;
mod checkpoints;
mod doctor;
mod read;
mod review;
mod search;
mod sessions;
mod thread;
mod workspaces;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use skein_format::id::is_file_stem;
use skein_model::view::{ThreadRow, ThreadView, WriteResult};
use skein_model::{Filter, Kind};

use crate::app_state::{AppState, blocking};
use crate::error::WebError;
use crate::json::Json;
use crate::request::{PathParams, QueryParams, bad_request};

/// Returns the routes below `/api/v1`.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/threads", get(blocking(read::threads)).post(blocking(add::add)))
        .route("/threads/{id}", get(blocking(read::thread)))
        .route("/threads/{id}/prompt", get(blocking(read::prompt)))
        .route("/threads/{id}/reply", post(blocking(thread::reply)))
        .route("/threads/{id}/resolve", post(blocking(thread::resolve)))
        .route("/threads/{id}/reopen", post(blocking(thread::reopen)))
        .route("/threads/{id}/delete", post(blocking(thread::delete)))
        .route("/threads/{id}/restore", post(blocking(thread::restore)))
        .route("/threads/{id}/comments/{comment}", post(blocking(thread::edit)))
        .route("/threads/{id}/apply", get(blocking(apply::preview)).post(blocking(apply::apply)))
        .route("/search", get(blocking(search::search)))
        .route("/prompt", get(blocking(read::all_prompts)))
        .route("/diff", get(blocking(read::diff)))
        .route("/files/{*path}", get(blocking(read::file)))
        .route("/doctor", get(blocking(doctor::check)))
        .route("/doctor/repair", post(blocking(doctor::repair)))
        .route("/workspaces", get(blocking(workspaces::list)))
        .route("/workspaces/open", post(blocking(workspaces::open)))
        .route("/submit", post(blocking(review::submit)))
        .route("/viewed", post(blocking(review::set_viewed)))
        .route("/checkpoints", get(blocking(checkpoints::list)).post(blocking(checkpoints::save)))
        .route("/checkpoints/{id}", get(blocking(checkpoints::show)))
        .route("/checkpoints/{id}/brief", get(blocking(checkpoints::brief)))
        .route("/checkpoints/{id}/steps/{number}", post(blocking(checkpoints::change_step)))
        .route("/handoffs", post(blocking(checkpoints::handoff)))
        .route(
            "/cleanup",
            get(blocking(checkpoints::preview_cleanup)).post(blocking(checkpoints::clean_up)),
        )
        .route("/sessions", get(blocking(sessions::list)))
        .route("/sessions/{id}/status", post(blocking(sessions::set_status)))
        .route(
            "/session-map",
            get(blocking(sessions::preview_repair)).post(blocking(sessions::repair_map)),
        )
}

/// A JSON response or an error.
type JsonResult<T> = Result<Json<T>, WebError>;

/// The id in the path, and the query parameters.
type IdParams = (PathParams<String>, QueryParams);

/// Reads parameters as the command line reads filters. A value that no thread can have is refused.
fn filter(
    app: &AppState,
    params: &QueryParams,
    kind: Kind,
    keys: &[&str],
) -> Result<Filter, WebError> {
    let occurs = |key: &str, value: &str| app.occurs(key, value);
    let mut filter = Filter { kind: Some(kind), ..Filter::default() };
    for key in keys {
        if let Some(value) = params.get(key) {
            filter.set_or(key, value, app.clock().now(), &occurs)?;
        }
    }
    filter.check_kind()?;
    Ok(filter)
}

/// Returns whether a thread has the status of a filter.
fn has_status(row: &ThreadRow, filter: &Filter) -> bool {
    let is = |wanted: &String| {
        row.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case(wanted))
    };
    filter.status.as_ref().is_none_or(is)
}

/// Reads a number from a parameter.
fn number<T: std::str::FromStr>(params: &QueryParams, name: &str) -> Result<Option<T>, WebError> {
    let Some(text) = params.get(name) else { return Ok(None) };
    let bad = |_| bad_request(format!("`{name}` is not a number: {text}"), "write it in digits");
    text.parse().map(Some).map_err(bad)
}

fn markdown(text: String) -> Response {
    ([(CONTENT_TYPE, "text/markdown; charset=utf-8")], Body::from(text)).into_response()
}

/// An empty object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoFields {}

/// The result of a write, and notes about side effects.
#[derive(Serialize)]
struct WithNotes<T> {
    #[serde(flatten)]
    result: T,
    notes: Vec<String>,
}

impl WithNotes<WriteResult> {
    /// Returns the only result of a request about one thread.
    fn first(written: Vec<WriteResult>, notes: Vec<String>) -> JsonResult<Self> {
        let result = written.into_iter().next().ok_or_else(WebError::broken)?;
        Ok(Json(Self { result, notes }))
    }
}

fn conflict(message: &str, hint: &str) -> WebError {
    WebError::new(StatusCode::CONFLICT, message).hint(hint)
}

/// Finds a thread or a draft of this worktree by its exact id. An id from an address is never used as a path.
fn find(app: &AppState, id: &str) -> Result<Arc<ThreadView>, WebError> {
    let none = || WebError::no_thread(id);
    if !is_file_stem(id) {
        return Err(none());
    }
    if let Some(view) = app.live.threads().get(id) {
        return Ok(Arc::clone(view));
    }
    // The thread may have been created since the last refresh.
    app.reviews_changed();
    app.live.threads().get(id).cloned().ok_or_else(none)
}

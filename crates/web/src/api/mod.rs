//! The JSON for programs, and for what a page writes.

mod add;
mod apply;
mod doctor;
mod read;
mod review;
mod search;
mod sessions;
mod thread;
mod work;
mod workspaces;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use skein_format::id::is_file_stem;
use skein_model::view::{ThreadView, WriteResult};
use skein_model::{Filter, FilterError, Kind};

use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;

/// Returns the addresses below `/api/v1`.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/threads", get(read::threads).post(add::add))
        .route("/threads/{id}", get(read::thread))
        .route("/threads/{id}/prompt", get(read::prompt))
        .route("/threads/{id}/reply", post(thread::reply))
        .route("/threads/{id}/resolve", post(thread::resolve))
        .route("/threads/{id}/reopen", post(thread::reopen))
        .route("/threads/{id}/delete", post(thread::delete))
        .route("/threads/{id}/restore", post(thread::restore))
        .route("/threads/{id}/comments/{comment}", post(thread::edit))
        .route("/threads/{id}/apply", get(apply::preview).post(apply::apply))
        .route("/search", get(search::search))
        .route("/prompt", get(read::all_prompts))
        .route("/diff", get(read::diff))
        .route("/files/{*path}", get(read::file))
        .route("/doctor", get(doctor::doctor))
        .route("/doctor/repair", post(doctor::repair))
        .route("/workspaces", get(workspaces::list))
        .route("/workspaces/open", post(workspaces::open))
        .route("/submit", post(review::submit))
        .route("/viewed", post(review::viewed))
        .route("/checkpoints", get(work::list).post(work::save))
        .route("/checkpoints/{id}", get(work::one))
        .route("/checkpoints/{id}/brief", get(work::brief))
        .route("/checkpoints/{id}/steps/{number}", post(work::step))
        .route("/handoffs", post(work::handoff))
        .route("/cleanup", get(work::would_go).post(work::clean_up))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}/status", post(sessions::set))
        .route("/session-map", get(sessions::would_repair).post(sessions::repair_map))
}

/// Reads parameters that mean the same as filters of the command line; a value that nothing can have is refused.
fn filter(
    site: &AppState,
    pairs: &QueryParams,
    kind: Kind,
    keys: &[&str],
) -> Result<Filter, WebError> {
    let refused = |error: FilterError| {
        WebError::new(StatusCode::BAD_REQUEST, error.to_string()).hint(error.hint())
    };
    let occurs = |key: &str, value: &str| site.occurs(key, value);
    let mut filter = Filter { kind: Some(kind), ..Filter::default() };
    for key in keys {
        if let Some(value) = pairs.get(key) {
            filter.set_or(key, value, site.env.clock.now(), &occurs).map_err(refused)?;
        }
    }
    filter.check_kind().map_err(refused)?;
    Ok(filter)
}

/// Nothing is to be said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What was done, and what was done besides.
#[derive(Serialize)]
struct Done<T> {
    #[serde(flatten)]
    done: T,
    notes: Vec<String>,
}

impl Done<WriteResult> {
    fn one(written: Vec<WriteResult>, notes: Vec<String>) -> Result<Self, WebError> {
        // Whoever asks about one thread is answered about one.
        let done = written.into_iter().next().ok_or_else(WebError::broken)?;
        Ok(Self { done, notes })
    }
}

/// Finds a thread or a draft of this worktree by its exact id.
///
/// A name from an address is never taken for a path.
fn find(site: &AppState, id: &str) -> Result<Arc<ThreadView>, WebError> {
    let none = || WebError::no_thread(id);
    if !is_file_stem(id) {
        return Err(none());
    }
    if let Some(view) = site.desk.threads().get(id) {
        return Ok(Arc::clone(view));
    }
    // It may have come this very moment.
    site.wrote();
    site.desk.threads().get(id).cloned().ok_or_else(none)
}

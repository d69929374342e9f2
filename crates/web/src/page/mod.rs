//! The pages, and the fragments that a page fetches after a change.

mod card;
mod checkpoints;
mod damaged;
mod file;
mod fragment;
mod frame;
mod id_prefix;
mod location;
mod overview;
mod pager;
mod paths;
mod review;
mod row_line;
mod search;
mod section;
mod sessions;
mod state_tag;
mod thread;
mod thread_line;
mod threads;
mod tree;
mod turn_label;
mod view_options;
mod workspaces;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use skein_format::time::Time;
use skein_highlight::Language;

use crate::app_state::{AppState, blocking};
use crate::code::cell;
use crate::encode::encode;
use crate::error::WebError;
use crate::request::{PathParams, QueryParams};
use view_options::ViewOptions;

pub(crate) use checkpoints::{CheckpointFilter, step_token};
pub(crate) use sessions::repair_token;

/// Returns the routes of the pages.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(blocking(review::page)))
        .route("/file/{*path}", get(blocking(file::page)))
        .route("/threads", get(blocking(threads::page)))
        .route("/thread/{id}", get(blocking(thread::page)))
        .route("/overview", get(blocking(overview::page)))
        .route("/search", get(blocking(search::page)))
        .route("/sessions", get(blocking(sessions::page)))
        .route("/work", get(blocking(checkpoints::timeline)))
        .route("/work/steps", get(blocking(checkpoints::steps)))
        .route("/work/new", get(blocking(checkpoints::new)))
        .route("/work/cleanup", get(blocking(checkpoints::cleanup)))
        .route("/work/{id}", get(blocking(checkpoints::checkpoint)))
        .route("/workspaces", get(blocking(workspaces::page)))
        .route("/fragment/workspaces", get(blocking(workspaces::fragment)))
        .route("/fragment/section", get(blocking(fragment::section)))
        .route("/fragment/paths", get(blocking(paths::fragment)))
        .route("/fragment/search", get(blocking(search::fragment)))
}

/// The input of the handler of a page.
type PageRequest = (ViewOptions, QueryParams);

/// The input of the handler of a page for an id or a path.
type IdPageRequest = (PathParams<String>, ViewOptions, QueryParams);

type PageResult = Result<Html<String>, WebError>;

/// One of the filters above a list.
struct FilterLink {
    name: &'static str,
    href: String,
    /// Whether it is chosen.
    on: bool,
    count: usize,
}

/// Renders a page.
fn render(page: &impl Template) -> PageResult {
    let mut html = page.render().map_err(|_| WebError::broken())?;
    // The page stays in memory until the client has read it.
    html.shrink_to_fit();
    Ok(Html(html))
}

/// Returns a number with its noun.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Returns a time for a `time` element, or an empty text.
fn time(at: Option<Time>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

/// Returns the address of a page with the parameters that are not empty.
fn address<'a>(page: &str, params: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let params = params.into_iter().filter(|(_, value)| !value.is_empty());
    let params: Vec<String> =
        params.map(|(name, value)| format!("{name}={}", encode(value))).collect();
    if params.is_empty() { page.to_owned() } else { format!("{page}?{}", params.join("&")) }
}

/// Returns lines of code as HTML.
fn code_html<'a>(lines: impl Iterator<Item = &'a str>, language: Option<Language>) -> String {
    let lines: Vec<&str> = lines.collect();
    let colours =
        language.map(|language| skein_highlight::lines(language, &lines)).unwrap_or_default();
    let mut html = String::new();
    for (index, line) in lines.iter().enumerate() {
        html.push_str(&cell(line, colours.get(index).map_or(&[], Vec::as_slice), &[]));
        html.push('\n');
    }
    html
}

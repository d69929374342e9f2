//! The pages, and the pieces of them that are fetched when something changed.

mod at;
mod board;
mod card;
mod choice;
mod diff_versions;
mod file;
mod frame;
mod html_cache;
mod line;
mod overview;
mod paths;
mod related;
mod review;
mod search;
mod section;
mod sessions;
mod state_tag;
mod thread;
mod threads;
mod tree;
mod visit;
mod which;
mod whole_id;
mod whose;
mod work;
mod workspaces;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::Request;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::get;

use crate::code::cell;
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;
use skein_highlight::Language;
use visit::ViewOptions;

pub(crate) use board::{ThreadIndex, ThreadIndexCache};
pub(crate) use card::Viewer;
pub(crate) use diff_versions::DiffVersions;
pub(crate) use html_cache::HtmlCache;
pub(crate) use sessions::shown as shown_repair;
pub(crate) use work::{WorkFilter, shown as shown_step};

/// Returns the addresses of the pages.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(review::page))
        .route("/file/{*path}", get(file::page))
        .route("/threads", get(threads::page))
        .route("/thread/{id}", get(thread::page))
        .route("/overview", get(overview::page))
        .route("/search", get(search::page))
        .route("/workspaces", get(workspaces::page))
        .route("/fragment/workspaces", get(workspaces::fragment))
        .route("/fragment/section", get(section::fragment))
        .route("/fragment/paths", get(paths::fragment))
        .route("/sessions", get(sessions::page))
        .merge(work::routes())
        .route("/fragment/search", get(search::fragment))
}

/// Answers with a page, which is built away from the threads that answer requests.
async fn show<T: Template + 'static>(
    site: Arc<AppState>,
    request: Request,
    build: impl FnOnce(&AppState, &ViewOptions, &QueryParams) -> Result<T, WebError> + Send + 'static,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) =
        (ViewOptions::from_request(&site, &parts), QueryParams::from_uri(&parts.uri));
    site.run(move |site| render(&build(site, &visit, &pairs)?)).await
}

/// Sends the browser to another address of this server.
fn to(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// Says how many there are of something.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Writes a page.
fn render(page: &impl Template) -> Result<Html<String>, WebError> {
    let mut html = page.render().map_err(|_| WebError::broken())?;
    // A page may wait for long until it is read.
    html.shrink_to_fit();
    Ok(Html(html))
}

/// Writes lines of code with their colours.
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

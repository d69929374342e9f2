//! The additional checks of a write.

use axum::extract::Request;
use hyper::StatusCode;

use super::entry::AuthMethod;
use super::{host, single_header};
use crate::app_state::AppState;
use crate::credentials::is_same;
use crate::error::WebError;
use crate::request::{MAX_BODY_LEN, too_large};

/// What a program can write with the token, below `/api/v1/`: what is signed as a program. What submits, accepts, approves or deletes for the
/// user is not in the list, nor what admits a browser.
const OPEN_TO_PROGRAMS: [&str; 6] = [
    "threads",
    "threads/*/reply",
    "threads/*/resolve",
    "threads/*/reopen",
    "threads/*/comments/*",
    "checkpoints/*/steps/*",
];

/// Returns whether a program can write to an address with the token.
fn is_open_to_programs(path: &str) -> bool {
    let Some(path) = path.strip_prefix("/api/v1/") else { return false };
    let is_like = |pattern: &&str| {
        let (parts, wanted) = (path.split('/'), pattern.split('/'));
        parts.clone().count() == wanted.clone().count()
            && parts.zip(wanted).all(|(part, wanted)| wanted == "*" || wanted == part)
    };
    OPEN_TO_PROGRAMS.iter().any(is_like)
}

/// Refuses a write that is not from a page of this server or from a program with the token.
pub(super) fn check(app: &AppState, request: &Request, entry: AuthMethod) -> Result<(), WebError> {
    let headers = request.headers();
    let is_browser = matches!(entry, AuthMethod::Cookie { .. });
    if !is_from_here(app, request, is_browser) {
        return refuse("cross-site requests are not allowed");
    }
    if !is_browser && !is_open_to_programs(request.uri().path()) {
        return Err(WebError::new(StatusCode::FORBIDDEN, "only the user can do this, on a page")
            .hint("`skein serve` prints the link to the pages; `docs/api.md` lists what programs can write"));
    }
    let page = single_header(headers, "x-skein-page").unwrap_or("");
    if is_browser && !is_same(page, &app.keys.page) {
        return Err(WebError::new(StatusCode::FORBIDDEN, "this page has no valid key to write")
            .hint("open the link that `skein serve` prints; unsent text is kept"));
    }
    if app.read_only {
        return Err(WebError::new(StatusCode::FORBIDDEN, "this server is read-only")
            .hint("start `skein serve` without `--read-only`"));
    }
    if !is_json(single_header(headers, "content-type").unwrap_or("")) {
        let message = "the body of a write must be JSON";
        return Err(WebError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
            .hint("send it with `Content-Type: application/json`"));
    }
    let length = single_header(headers, "content-length").map(str::parse::<usize>);
    match length {
        Some(Ok(length)) if length > MAX_BODY_LEN => Err(too_large()),
        Some(Err(_)) => {
            Err(WebError::new(StatusCode::BAD_REQUEST, "invalid Content-Length header"))
        }
        _ => Ok(()),
    }
}

/// Returns whether a request is from a page of this server; programs send no origin.
pub(super) fn is_from_here(app: &AppState, request: &Request, is_browser: bool) -> bool {
    let headers = request.headers();
    let own = single_header(headers, "host").and_then(|named| host::origin(&app.keys, named));
    let origin = single_header(headers, "origin");
    let is_own = origin.map_or(!is_browser, |origin| own.as_deref() == Some(origin));
    is_own && matches!(single_header(headers, "sec-fetch-site"), None | Some("same-origin"))
}

fn refuse(message: &str) -> Result<(), WebError> {
    Err(WebError::new(StatusCode::FORBIDDEN, message).hint("reload the page, and try again"))
}

fn is_json(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

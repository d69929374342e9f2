//! What a write must show besides.

use axum::extract::Request;
use hyper::StatusCode;

use super::entry::AuthMethod;
use super::keys::is_same;
use super::{host, only};
use crate::error::WebError;
use crate::site::AppState;

/// The largest body that is read, in bytes.
pub(crate) const MAX_BODY_LEN: u64 = 1024 * 1024;

/// Makes sure that a write comes from a page of ours, or from a program that has the token.
pub(super) fn check(site: &AppState, request: &Request, entry: AuthMethod) -> Result<(), WebError> {
    let headers = request.headers();
    let is_browser = matches!(entry, AuthMethod::Cookie { .. });
    if !is_from_here(site, request, is_browser) {
        return refuse("a page of another site may not write here");
    }
    let page = only(headers, "x-skein-page").unwrap_or("");
    if is_browser && !is_same(page, &site.keys.page) {
        return refuse("the page is older than this server");
    }
    if site.read_only {
        return Err(WebError::new(
            StatusCode::FORBIDDEN,
            "this server only shows, and writes nothing",
        )
        .hint("start `skein serve` without `--read-only`"));
    }
    if !is_json(only(headers, "content-type").unwrap_or("")) {
        let message = "a write is JSON";
        return Err(WebError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
            .hint("send it with `Content-Type: application/json`"));
    }
    let length = only(headers, "content-length").map(str::parse::<u64>);
    match length {
        Some(Ok(length)) if length > MAX_BODY_LEN => Err(too_large()),
        Some(Err(_)) => Err(WebError::new(StatusCode::BAD_REQUEST, "the length is no number")),
        _ => Ok(()),
    }
}

/// Returns whether a request comes from a page of this server; a program that is no browser names no origin.
pub(super) fn is_from_here(site: &AppState, request: &Request, is_browser: bool) -> bool {
    let headers = request.headers();
    let own = only(headers, "host").and_then(|named| host::origin(&site.keys, named));
    let origin = only(headers, "origin");
    let is_own = origin.map_or(!is_browser, |origin| own.as_deref() == Some(origin));
    is_own && matches!(only(headers, "sec-fetch-site"), None | Some("same-origin"))
}

/// The body is larger than anything that makes sense.
pub(crate) fn too_large() -> WebError {
    WebError::new(StatusCode::PAYLOAD_TOO_LARGE, "that is more than 1 MB")
        .hint("write less in one comment; nothing was written")
}

fn refuse(message: &str) -> Result<(), WebError> {
    Err(WebError::new(StatusCode::FORBIDDEN, message)
        .hint("load the page again, and try once more"))
}

fn is_json(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

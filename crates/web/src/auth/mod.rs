//! Decides who may ask for what, before anything is read.

mod entry;
mod host;
mod keys;
mod one_time_link;
mod session;
mod write;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use hyper::header::{ALLOW, HeaderValue};
use hyper::{HeaderMap, Method, StatusCode};

pub(crate) use entry::PASS;
pub(crate) use keys::{Credentials, digest, prove};
pub(crate) use one_time_link::{MAX_LINK_AGE_MS, SHORT};
pub(crate) use session::resume;
pub(crate) use write::{MAX_BODY_LEN, too_large};

use crate::error::WebError;
use crate::site::AppState;
use entry::AuthMethod;

/// How much of a body that is refused is read, in bytes, and for how long.
const DRAIN_BYTES: usize = 8 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Lets a request pass or refuses it.
pub(crate) async fn check(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    match judge(&site, &request) {
        Ok(entry) => {
            let mut response = next.run(request).await;
            if matches!(entry, Some(AuthMethod::Cookie { is_old: true })) {
                entry::set_cookie(response.headers_mut(), &site.keys, site.env.clock.now());
            }
            response
        }
        Err(refusal) => {
            pour_out(request.into_body()).await;
            *refusal
        }
    }
}

/// Reads on for a moment without keeping anything: a browser that still sends would not see why it is refused.
async fn pour_out(mut body: Body) {
    let mut left = DRAIN_BYTES;
    let pour = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    // What is not out by then stays where it is.
    drop(tokio::time::timeout(DRAIN_TIMEOUT, pour).await);
}

/// Finds out how a request got in; none where everybody may. A refusal is an answer of its own: a page, a redirection or an error.
fn judge(site: &AppState, request: &Request) -> Result<Option<AuthMethod>, Box<Response>> {
    let refuse = |error: WebError| Box::new(error.into_response());
    let method = request.method();
    if ![Method::GET, Method::HEAD, Method::POST].contains(method) {
        let mut response = no_method().into_response();
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        return Err(Box::new(response));
    }
    host::check(&site.keys, request).map_err(refuse)?;
    let path = request.uri().path();
    if is_open(path) && method != Method::POST || path == session::PATH && method == Method::POST {
        return Ok(None);
    }
    let entry = entry::check(&site.keys, site.env.clock.now(), request)?;
    if method == Method::POST {
        write::check(site, request, entry).map_err(refuse)?;
    }
    Ok(Some(entry))
}

/// Returns whether everybody on this machine may see it: what the pages look like, and who is there.
fn is_open(path: &str) -> bool {
    path.starts_with("/assets/") || path == "/hello"
}

pub(crate) fn no_method() -> WebError {
    WebError::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not take such a request")
        .hint("pages are read with GET; `docs/api.md` lists what takes a POST")
}

/// Returns the one value of a header; a header that is there twice is none that we know.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() {
        return Some("");
    }
    Some(first.to_str().unwrap_or(""))
}

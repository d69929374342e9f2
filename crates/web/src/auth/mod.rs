//! Decides whether a request is allowed, before anything is read.

mod entry;
mod host;
mod session;
mod signer;
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

pub(crate) use entry::{FRAGMENT_PARAM, ONE_TIME_PARAM};
pub(crate) use session::resume;
pub(crate) use signer::Signer;

use crate::app_state::AppState;
use crate::error::WebError;
use entry::AuthMethod;

/// The maximum size of the body of a refused request that is read, in bytes, and the maximum time.
const DRAIN_BYTES: usize = 8 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Passes a request on, or refuses it.
pub(crate) async fn check(
    State(app): State<Arc<AppState>>,
    mut request: Request,
    next: Next,
) -> Response {
    match authorize(&app, &request) {
        Ok(entry) => {
            request.extensions_mut().insert(entry);
            let mut response = next.run(request).await;
            if matches!(entry, Some(AuthMethod::Cookie { is_old: true })) {
                entry::set_cookie(response.headers_mut(), &app.keys, app.clock().now());
            }
            response
        }
        Err(refusal) => {
            drain(request.into_body()).await;
            *refusal
        }
    }
}

/// Reads the rest of a body for a short time: a browser that is still sending would not read the response.
async fn drain(mut body: Body) {
    let mut left = DRAIN_BYTES;
    let read = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    drop(tokio::time::timeout(DRAIN_TIMEOUT, read).await);
}

/// Returns how a request was authorized, or `None` if it needs no authorization. A refusal is a response: a page, a redirect or an
/// error.
fn authorize(app: &AppState, request: &Request) -> Result<Option<AuthMethod>, Box<Response>> {
    let refuse = |error: WebError| Box::new(error.into_response());
    let method = request.method();
    if ![Method::GET, Method::HEAD, Method::POST].contains(method) {
        let mut response = no_method().into_response();
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        return Err(Box::new(response));
    }
    host::check(&app.keys, request).map_err(refuse)?;
    let path = request.uri().path();
    if is_open(path) && method != Method::POST || path == session::PATH && method == Method::POST {
        return Ok(None);
    }
    let entry = entry::check(&app.keys, app.clock().now(), request)?;
    if method == Method::POST {
        write::check(app, request, entry).map_err(refuse)?;
    }
    Ok(Some(entry))
}

/// Returns whether a path needs no authorization.
fn is_open(path: &str) -> bool {
    path.starts_with("/assets/") || path == "/hello"
}

pub(crate) fn no_method() -> WebError {
    WebError::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not accept this method")
        .hint("read pages with GET; `docs/api.md` lists what accepts POST")
}

/// Returns the value of a header, or an empty value if the header occurs more than once.
fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() {
        return Some("");
    }
    Some(first.to_str().unwrap_or(""))
}

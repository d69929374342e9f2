//! Lets a page that is open go on after the server was started again.

use std::sync::Arc;

use axum::extract::{FromRequest as _, Request, State};
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde_json::json;

use super::{entry, write};
use crate::error::WebError;
use crate::json::Json;
use crate::request::JsonBody;
use crate::site::AppState;

/// Where a page asks.
pub(super) const PATH: &str = "/session";

#[derive(serde::Deserialize)]
struct Resume {
    proof: String,
}

/// Gives a page that proves that it was ours a cookie and keys of this start of the server.
pub(crate) async fn resume(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, WebError> {
    let refused = || {
        WebError::new(StatusCode::FORBIDDEN, "this page is too old to go on")
            .hint("run `skein serve` in the workspace and open the address that it prints; what you wrote is kept")
    };
    if !write::is_from_here(&site, &request, true) {
        return Err(refused());
    }
    let JsonBody(Resume { proof }) = JsonBody::from_request(request, &()).await?;
    let (keys, now) = (&site.keys, site.env.clock.now());
    if !keys.is_resumed(&proof, now) {
        return Err(refused());
    }
    let given = json!({ "page": keys.page, "resume": keys.resume_key(now) });
    let mut response = Json(given).into_response();
    entry::set_cookie(response.headers_mut(), keys, now);
    Ok(response)
}

//! Lets an open page continue after a restart of the server.

use std::sync::Arc;

use axum::extract::{FromRequest as _, Request, State};
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde_json::json;

use super::{entry, write};
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::request::JsonBody;

pub(super) const PATH: &str = "/session";

#[derive(serde::Deserialize)]
struct Resume {
    proof: String,
}

/// Sets a new cookie and returns new keys, for a page that proves that it is from this server.
pub(crate) async fn resume(
    State(app): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, WebError> {
    let refused = || {
        WebError::new(StatusCode::FORBIDDEN, "this page is too old to continue")
            .hint("run `skein serve` in the workspace and open the link that it prints; unsent text is kept")
    };
    if !write::is_from_here(&app, &request, true) {
        return Err(refused());
    }
    let JsonBody(Resume { proof }) = JsonBody::from_request(request, &()).await?;
    let (keys, now) = (&app.keys, app.clock().now());
    if !keys.is_resumed(&proof, now) {
        return Err(refused());
    }
    let given = json!({ "page": keys.page, "resume": keys.resume_key(now) });
    let mut response = Json(given).into_response();
    entry::set_cookie(response.headers_mut(), keys, now);
    Ok(response)
}

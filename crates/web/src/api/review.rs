//! What is done to a review as a whole.

use std::sync::Arc;

use axum::extract::State;
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use skein_format::path::WorkspacePath;
use skein_review::{LocationError, SubmitResult};

use super::{Done, Nothing};
use crate::error::WebError;
use crate::json::Json;
use crate::request::JsonBody;
use crate::site::AppState;

/// The name of a content is a hash, or two of them.
const MAX_CONTENT_NAME_LEN: usize = 200;

/// Publishes the drafts together.
pub(super) async fn submit(
    State(site): State<Arc<AppState>>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> Result<Json<Done<SubmitResult>>, WebError> {
    site.run(|site| {
        let done = skein_review::submit(&site.desk.workspace(), &site.env);
        site.wrote();
        let mut done = done?;
        let notes = std::mem::take(&mut done.notes);
        Ok(Json(Done { done, notes }))
    })
    .await
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Viewed {
    path: String,
    viewed: bool,
    /// The name of the content that was seen.
    content: String,
}

/// Keeps that a file was looked at, or that it was not.
pub(super) async fn viewed(
    State(site): State<Arc<AppState>>,
    JsonBody(sent): JsonBody<Viewed>,
) -> Result<Json<Viewed>, WebError> {
    site.run(move |site| {
        let workspace = site.desk.workspace();
        let store = &workspace.reviews.store_path;
        // A file that was deleted can be looked at too, so that it need not exist.
        WorkspacePath::parse(&sent.path, store)
            .map_err(|problem| LocationError::Path { text: sent.path.clone(), problem })?;
        if sent.content.len() > MAX_CONTENT_NAME_LEN {
            let error = WebError::new(StatusCode::BAD_REQUEST, "this names no content");
            return Err(error.hint("send the `content` that the file was shown with"));
        }
        let Viewed { path, viewed, content } = &sent;
        skein_review::set_viewed(&workspace, &site.env, path, content, *viewed)?;
        site.wrote();
        Ok(Json(sent))
    })
    .await
}

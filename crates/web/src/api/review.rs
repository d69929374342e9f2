//! Writes that concern the whole review.

use serde::{Deserialize, Serialize};
use skein_format::path::WorkspacePath;
use skein_review::{LocationError, SubmitResult};

use super::{JsonResult, NoFields, WithNotes};
use crate::app_state::AppState;
use crate::json::Json;
use crate::request::{JsonBody, bad_request};

/// The maximum length of the hash of a file, or of two hashes.
const MAX_CONTENT_LEN: usize = 200;

/// Publishes the drafts together.
pub(super) fn submit(
    app: &AppState,
    JsonBody(NoFields {}): JsonBody<NoFields>,
) -> JsonResult<WithNotes<SubmitResult>> {
    let submitted = skein_delivery::submit(&app.live.workspace());
    app.reviews_changed();
    let mut result = submitted?.result;
    let notes = std::mem::take(&mut result.notes);
    Ok(Json(WithNotes { result, notes }))
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewedFile {
    path: String,
    viewed: bool,
    /// The hash of the file that was shown.
    content: String,
}

/// Marks a file as viewed, or as not viewed.
pub(super) fn set_viewed(
    app: &AppState,
    JsonBody(sent): JsonBody<ViewedFile>,
) -> JsonResult<ViewedFile> {
    let workspace = app.live.workspace();
    // The file need not exist: a deleted file can be viewed too.
    WorkspacePath::parse(&sent.path, &workspace.reviews.store_path)
        .map_err(|problem| LocationError::Path { text: sent.path.clone(), problem })?;
    if sent.content.len() > MAX_CONTENT_LEN {
        let hint = "send the `content` with which the file was shown";
        return Err(bad_request("invalid `content`", hint));
    }
    let ViewedFile { path, viewed, content } = &sent;
    skein_review::set_viewed(&workspace, path, content, *viewed)?;
    app.reviews_changed();
    Ok(Json(sent))
}

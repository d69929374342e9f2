//! Suggestions: preview and application.

use serde::Deserialize;
use skein_catalog::ThreadRef;
use skein_review::{Applied, StalePreview};

use super::{IdParams, JsonResult, WithNotes, find};
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, PathParams};

/// Returns the changes that the suggestion of a thread would make.
pub(super) fn preview(app: &AppState, (PathParams(id), params): IdParams) -> JsonResult<Applied> {
    params.only(&[])?;
    let view = find(app, &id)?;
    let workspace = app.live.workspace();
    let thread = ThreadRef::from_row(&workspace, &view.row);
    Ok(Json(skein_review::preview(&workspace, &thread)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApplyRequest {
    /// Identifies the preview.
    token: String,
    #[serde(default)]
    resolve: bool,
}

/// Applies a suggestion as the preview showed it.
pub(super) fn apply(
    app: &AppState,
    (PathParams(id), JsonBody(sent)): (PathParams<String>, JsonBody<ApplyRequest>),
) -> JsonResult<WithNotes<Applied>> {
    let (workspace, view) = (app.live.workspace(), find(app, &id)?);
    let thread = ThreadRef::from_row(&workspace, &view.row);
    let (actor, token) = (&app.actor, &sent.token);
    let applied = skein_review::apply_previewed(&workspace, actor, &thread, token, sent.resolve);
    app.reviews_changed();
    let result = applied.map_err(|error| {
        let now = match &error {
            StalePreview::Changed { shown } => serde_json::to_value(shown).ok(),
            StalePreview::Apply(_) => None,
        };
        let error = WebError::from(error);
        match now {
            Some(now) => error.conflict(serde_json::json!({ "now": now })),
            None => error,
        }
    })?;
    Ok(Json(WithNotes { result, notes: Vec::new() }))
}

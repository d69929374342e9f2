//! Suggestions: what they would do, and doing it.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use skein_review::{Applied, Preview, StalePreview};

use super::{Done, find};
use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, PathParams, QueryParams};
use crate::site::AppState;

/// Shows what the suggestion of a thread would do.
pub(super) async fn preview(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    pairs: QueryParams,
) -> Result<Json<Preview>, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let view = find(site, &id)?;
        Ok(Json(skein_review::preview(&site.desk.workspace(), &site.env, &view.row.file)?))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Apply {
    /// Names what was shown.
    token: String,
    #[serde(default)]
    resolve: bool,
}

/// Applies a suggestion as it was shown.
pub(super) async fn apply(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(sent): JsonBody<Apply>,
) -> Result<Json<Done<Applied>>, WebError> {
    site.run(move |site| {
        let (workspace, view) = (site.desk.workspace(), find(site, &id)?);
        let (env, actor, file) = (&site.env, &site.actor, &view.row.file);
        let done =
            skein_review::apply_previewed(&workspace, env, actor, file, &sent.token, sent.resolve);
        site.wrote();
        match done {
            Ok(done) => Ok(Json(Done { done, notes: Vec::new() })),
            Err(error) => {
                let now = match &error {
                    StalePreview::Changed { shown } => serde_json::to_value(shown).ok(),
                    StalePreview::Apply(_) => None,
                };
                let error = WebError::from(error);
                Err(match now {
                    Some(now) => error.conflict(serde_json::json!({ "now": now })),
                    None => error,
                })
            }
        }
    })
    .await
}

//! What is wrong, and repairing it.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use skein_catalog::WorktreeScope;
use skein_doctor::{OutdatedRepair, Repair, RepairResult, check};

use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, QueryParams};
use crate::site::AppState;

/// Nobody means to repair more than this at once.
const MAX_REPAIRS: usize = 1000;

#[derive(Serialize)]
struct Examined<'a> {
    #[serde(flatten)]
    report: &'a skein_doctor::CheckReport,
    /// What can be repaired, each in the words by which it is asked for.
    repairs: Vec<String>,
}

/// Looks at everything, as `skein doctor` does.
pub(super) async fn doctor(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let report = check(&site.desk.workspace(), &site.env, WorktreeScope::ThisWorktree);
        let repairs = report.repairs.iter().map(Repair::plan).collect();
        Ok(Json(Examined { report: &report, repairs }).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    repairs: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Repaired {
    repairs: Vec<RepairResult>,
}

/// Carries out repairs that were shown.
pub(super) async fn repair(
    State(site): State<Arc<AppState>>,
    JsonBody(Asked { repairs }): JsonBody<Asked>,
) -> Result<Json<Repaired>, WebError> {
    site.run(move |site| {
        if repairs.is_empty() || repairs.len() > MAX_REPAIRS {
            let error = WebError::new(StatusCode::BAD_REQUEST, "there is nothing to repair");
            return Err(error.hint("send the `repairs` as `GET /api/v1/doctor` says them"));
        }
        let done = site.rounds.repair(&site.desk.workspace(), &site.env, &repairs);
        site.wrote();
        site.wrote_work();
        let repairs = done.map_err(|error @ OutdatedRepair::Changed { .. }| {
            WebError::new(StatusCode::CONFLICT, error.to_string())
                .hint("nothing was done; look at what is wrong now")
        })?;
        Ok(Json(Repaired { repairs }))
    })
    .await
}

//! Problems in the files, and repairs.

use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skein_catalog::WorktreeScope;
use skein_doctor::{OutdatedRepair, Repair};

use super::JsonResult;
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, ParamsRequest, bad_request};

const MAX_REPAIRS: usize = 1000;

#[derive(Serialize)]
struct CheckedFiles<'a> {
    #[serde(flatten)]
    report: &'a skein_doctor::CheckReport,
    /// The possible repairs, each as the text that requests it.
    repairs: Vec<String>,
}

/// Checks everything, as `skein doctor` does.
pub(super) fn check(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&[])?;
    let scope = WorktreeScope::ThisWorktree;
    let report = skein_doctor::check(&app.live.workspace(), scope);
    let repairs = report.repairs.iter().map(Repair::plan).collect();
    Ok(Json(CheckedFiles { report: &report, repairs }).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepairRequest {
    repairs: Vec<String>,
}

/// Makes repairs that were shown.
pub(super) fn repair(
    app: &AppState,
    JsonBody(RepairRequest { repairs }): JsonBody<RepairRequest>,
) -> JsonResult<Value> {
    if repairs.is_empty() || repairs.len() > MAX_REPAIRS {
        let hint = "send the `repairs` as `GET /api/v1/doctor` returns them";
        return Err(bad_request("there is nothing to repair", hint));
    }
    let done = app.background_check.repair(&app.live.workspace(), &repairs);
    app.reviews_changed();
    app.checkpoints_changed();
    let repairs = done.map_err(|error @ OutdatedRepair::Changed { .. }| {
        WebError::new(StatusCode::CONFLICT, error.to_string())
            .hint("nothing was repaired; look at the current problems")
    })?;
    Ok(Json(json!({ "repairs": repairs })))
}

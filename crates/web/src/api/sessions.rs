//! Agent sessions and the session map.

use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use skein_format::session::MappingField;
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_sessions::{
    MapRepair, SessionError, SessionWritten, SetRequest, check_directories, repair, set_session,
};

use super::{JsonResult, conflict, filter, has_status};
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::page::repair_token;
use crate::request::{JsonBody, ParamsRequest, PathParams};

#[derive(Serialize)]
struct SessionRows<'a> {
    file: Option<&'a str>,
    sessions: Vec<&'a ThreadRow>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the sessions that match the parameters, the last active first.
pub(super) fn list(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&["status"])?;
    let list = app.live.sessions();
    if let Some(trouble) = &list.trouble {
        let error = WebError::new(StatusCode::UNPROCESSABLE_ENTITY, trouble.clone());
        return Err(error.hint("`ls -l` shows what is there instead of the file"));
    }
    let filter = filter(app, &params, Kind::Session, &["status"])?;
    let sessions = list.sessions.iter().filter(|row| has_status(row, &filter)).collect();
    let file = list.file.as_deref();
    Ok(Json(SessionRows { file, sessions, diagnostics: &list.diagnostics }).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusRequest {
    status: String,
    /// The status that was shown.
    was: Option<String>,
}

/// Sets the status of a session, if its status is still the one that was shown.
pub(super) fn set_status(
    app: &AppState,
    (PathParams(id), JsonBody(sent)): (PathParams<String>, JsonBody<StatusRequest>),
) -> JsonResult<SessionWritten> {
    // The whole id is required; the command line also accepts its start.
    if !app.live.sessions().sessions.iter().any(|row| row.id == id) {
        return Err(SessionError::NoSession { id }.into());
    }
    let fields = vec![(MappingField::Status, sent.status)];
    let request = SetRequest { file: None, lenient: false, expect: sent.was, fields };
    let written = set_session(&app.live.workspace(), &id, &request);
    app.checkpoints_changed();
    let mut written = written?;
    check_directories([&mut written.row]);
    Ok(Json(written))
}

/// A repair of the session map, with a token that identifies it.
#[derive(Serialize)]
pub(super) struct PlannedRepair {
    #[serde(flatten)]
    repair: MapRepair,
    shown: String,
}

fn repaired(app: &AppState, write: bool) -> Result<PlannedRepair, WebError> {
    let workspace = app.live.workspace();
    let map = workspace.sessions.map.as_ref().ok_or(SessionError::NoHome)?;
    let repair = repair(map, &workspace.env, write)?;
    Ok(PlannedRepair { shown: repair_token(&repair), repair })
}

/// Returns the planned repair, without writing.
pub(super) fn preview_repair(
    app: &AppState,
    (params,): ParamsRequest,
) -> JsonResult<PlannedRepair> {
    params.only(&[])?;
    Ok(Json(repaired(app, false)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapRepairRequest {
    /// The token of the repair that was shown.
    shown: String,
}

/// Repairs the map as shown, and keeps the original file.
pub(super) fn repair_map(
    app: &AppState,
    JsonBody(sent): JsonBody<MapRepairRequest>,
) -> JsonResult<PlannedRepair> {
    let now = repaired(app, false)?;
    if now.shown != sent.shown {
        let message = "the file has changed since the repair was shown";
        let now = json!({ "now": serde_json::to_value(&now).unwrap_or_default() });
        return Err(conflict(message, "nothing was written; look at it again").conflict(now));
    }
    let done = repaired(app, true);
    app.checkpoints_changed();
    Ok(Json(done?))
}

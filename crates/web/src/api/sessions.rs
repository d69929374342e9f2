//! The sessions of the map.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use skein_format::session::Field;
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_sessions::{
    MapRepair, SessionError, SessionWritten, SetRequest, check_directories, repair, set_session,
};

use super::filter;
use crate::error::WebError;
use crate::json::Json;
use crate::page::shown_repair;
use crate::request::{JsonBody, PathParams, QueryParams};
use crate::site::AppState;

#[derive(Serialize)]
struct Listed<'a> {
    file: Option<&'a str>,
    sessions: Vec<&'a ThreadRow>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the sessions that pass, the last active first.
pub(super) async fn list(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&["status"])?;
        let roll = site.desk.sessions();
        if let Some(trouble) = &roll.trouble {
            let error = WebError::new(StatusCode::UNPROCESSABLE_ENTITY, trouble.clone());
            return Err(error.hint("see what stands in the place of the file (`ls -l`)"));
        }
        let filter = filter(site, &pairs, Kind::Session, &["status"])?;
        let is = |row: &ThreadRow, wanted: &str| {
            row.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case(wanted))
        };
        let passes = |row: &&ThreadRow| filter.status.as_ref().is_none_or(|status| is(row, status));
        let sessions = roll.sessions.iter().filter(passes).collect();
        let file = roll.file.as_deref();
        Ok(Json(Listed { file, sessions, diagnostics: &roll.diagnostics }).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetStatus {
    status: String,
    /// The status that was shown.
    was: Option<String>,
}

/// Sets the status of a session, if it still has the one that was shown.
pub(super) async fn set(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    JsonBody(sent): JsonBody<SetStatus>,
) -> Result<Json<SessionWritten>, WebError> {
    site.run(move |site| {
        // Only a whole id means a session here; its start would do on the command line.
        let is_known = || site.desk.sessions().sessions.iter().any(|row| row.id == id);
        if !is_known() {
            return Err(SessionError::NoSession { id }.into());
        }
        let fields = vec![(Field::Status, sent.status)];
        let request = SetRequest { file: None, lenient: false, expect: sent.was, fields };
        let written = set_session(&site.desk.workspace(), &site.env, &id, &request);
        site.wrote_work();
        let mut written = written?;
        check_directories([&mut written.row]);
        Ok(Json(written))
    })
    .await
}

/// What a repair does, with what names it.
#[derive(Serialize)]
pub(super) struct Planned {
    #[serde(flatten)]
    repaired: MapRepair,
    shown: String,
}

impl Planned {
    fn new(repaired: MapRepair) -> Self {
        Self { shown: shown_repair(&repaired), repaired }
    }
}

fn repaired(site: &AppState, write: bool) -> Result<MapRepair, WebError> {
    let workspace = site.desk.workspace();
    let map = workspace.sessions.map.as_ref().ok_or(SessionError::NoHome)?;
    Ok(repair(map, &site.env, write)?)
}

/// Says what a repair would do.
pub(super) async fn would_repair(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Json<Planned>, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        Ok(Json(Planned::new(repaired(site, false)?)))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repair {
    /// Names what was shown.
    shown: String,
}

/// Repairs the map as it was shown; the file as it was is kept.
pub(super) async fn repair_map(
    State(site): State<Arc<AppState>>,
    JsonBody(sent): JsonBody<Repair>,
) -> Result<Json<Planned>, WebError> {
    site.run(move |site| {
        let now = Planned::new(repaired(site, false)?);
        if now.shown != sent.shown {
            let message = "the file was changed since the repair was shown";
            let error = WebError::new(StatusCode::CONFLICT, message);
            let now = json!({ "now": serde_json::to_value(&now).unwrap_or_default() });
            return Err(error.hint("nothing was written; look at it again").conflict(now));
        }
        let done = repaired(site, true);
        site.wrote_work();
        Ok(Json(Planned::new(done?)))
    })
    .await
}

//! Checkpoints, handoffs, steps and cleanup.

use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use skein_checkpoints::{
    Cleanup, CleanupOptions, ExpectedStep, Handoff, HandoffResult, Save, SaveResult, StepChange,
    StepRequest, StepWritten, WorkerGiven,
};
use skein_format::id::is_file_stem;
use skein_model::view::{FileDiagnostic, StepView, ThreadBody, ThreadRow, ThreadView};
use skein_model::{Kind, PromptText};
use skein_summary::{Brief, group};

use super::{IdParams, JsonResult, conflict, filter, markdown, number};
use crate::app_state::AppState;
use crate::auth::Signer;
use crate::error::WebError;
use crate::json::Json;
use crate::page::{CheckpointFilter, step_token};
use crate::request::{JsonBody, ParamsRequest, PathParams, bad_request};

/// The maximum number of checkpoints in a response.
const PAGE_SIZE: usize = 100;

#[derive(Serialize)]
struct CheckpointList<'a> {
    checkpoints: Vec<&'a ThreadRow>,
    /// The number of matching checkpoints.
    count: usize,
    /// The handoff that is offered first, whether or not it matches.
    handoff: Option<&'a str>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the checkpoints that match the parameters, the newest first.
pub(super) fn list(app: &AppState, (params,): ParamsRequest) -> Result<Response, WebError> {
    params.only(&[
        "type", "branch", "tag", "worker", "file", "commit", "session", "steps", "after",
    ])?;
    filter(app, &params, Kind::Checkpoint, &["type"])?;
    if let Some(steps) = params.get("steps").filter(|steps| *steps != "open") {
        let message = format!("`steps` takes open, not `{steps}`");
        return Err(bad_request(message, "leave it out to list all checkpoints"));
    }
    let (timeline, links) = (app.live.timeline(), app.links());
    let after = number(&params, "after")?.unwrap_or(0);
    let matching = CheckpointFilter::from_params(&params).apply(&timeline, &links);
    let all = timeline.entries.iter().map(|entry| &entry.row);
    let groups = group(&app.live.workspace(), all);
    let offered = groups.first_handoff().map(|handoff| handoff.row.id.clone());
    let rows = matching.iter().map(|entry| &entry.row);
    let list = CheckpointList {
        count: matching.len(),
        checkpoints: rows.skip(after).take(PAGE_SIZE).collect(),
        handoff: offered.as_deref(),
        diagnostics: &timeline.diagnostics,
    };
    Ok(Json(list).into_response())
}

/// A checkpoint, with a token for the shown state of each step.
#[derive(Serialize)]
pub(super) struct CheckpointWithTokens {
    #[serde(flatten)]
    view: ThreadView,
    shown_steps: Vec<String>,
}

/// Finds a checkpoint by its exact id. An id from an address is never used as a path.
fn find(app: &AppState, id: &str) -> Result<ThreadView, WebError> {
    let none = || WebError::no_checkpoint(id);
    if !is_file_stem(id) {
        return Err(none());
    }
    skein_checkpoints::view(&app.live.workspace(), id).ok_or_else(none)
}

fn steps(view: &ThreadView) -> &[StepView] {
    match &view.body {
        ThreadBody::Checkpoint(body) => &body.next_steps,
        _ => &[],
    }
}

pub(super) fn show(
    app: &AppState,
    (PathParams(id), params): IdParams,
) -> JsonResult<CheckpointWithTokens> {
    params.only(&[])?;
    let view = find(app, &id)?;
    let shown_steps = steps(&view).iter().map(step_token).collect();
    Ok(Json(CheckpointWithTokens { view, shown_steps }))
}

/// Returns the brief to resume the work with.
pub(super) fn brief(
    app: &AppState,
    (PathParams(id), params): IdParams,
) -> Result<Response, WebError> {
    params.only(&[])?;
    find(app, &id)?;
    let brief = skein_summary::brief(&app.live.workspace(), Some(&id))?;
    Ok(markdown(PromptText::guard(&brief.text(Brief::LIMIT)).into_string()))
}

/// A checkpoint or a handoff to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckpointForm {
    summary: String,
    title: Option<String>,
    #[serde(default)]
    steps: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    slug: Option<String>,
    worker: Option<NewWorker>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewWorker {
    id: String,
    skill: Option<String>,
    state: Option<String>,
}

/// Returns the trimmed text, or `None` if it is empty.
fn non_empty(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Writes a full checkpoint.
pub(super) fn save(
    app: &AppState,
    JsonBody(new): JsonBody<CheckpointForm>,
) -> JsonResult<SaveResult> {
    let worker = new.worker.map(|worker| WorkerGiven {
        id: worker.id.trim().to_owned(),
        skill: non_empty(worker.skill),
        state: non_empty(worker.state),
    });
    if worker.as_ref().is_some_and(|worker| worker.id.is_empty()) {
        let error = bad_request("the worker has no id", "enter its id, or omit the worker");
        return Err(error.field("worker"));
    }
    let save = Save {
        slug: non_empty(new.slug),
        summary: new.summary,
        title: non_empty(new.title),
        steps: new.steps,
        tags: new.tags,
        worker,
        files: new.files,
        session: None,
        record: None,
    };
    let saved = skein_checkpoints::save(&app.live.workspace(), &save);
    app.checkpoints_changed();
    Ok(Json(saved?))
}

pub(super) fn handoff(
    app: &AppState,
    JsonBody(new): JsonBody<CheckpointForm>,
) -> JsonResult<HandoffResult> {
    if new.slug.is_some() || new.worker.is_some() {
        let message = "a handoff has neither a short name nor a worker";
        return Err(bad_request(message, "omit them, or write a checkpoint"));
    }
    let handoff = Handoff {
        message: new.summary,
        title: non_empty(new.title),
        steps: new.steps,
        tags: new.tags,
        files: new.files,
        session: None,
    };
    let written = skein_checkpoints::handoff(&app.live.workspace(), &handoff);
    app.checkpoints_changed();
    Ok(Json(written?))
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StepAction {
    Done,
    Drop,
    Reopen,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepChangeRequest {
    change: StepAction,
    /// The token of the step as it was shown.
    shown: String,
    note: Option<String>,
}

/// A changed step, with the token of its new state.
#[derive(Serialize)]
pub(super) struct ChangedStep {
    #[serde(flatten)]
    written: StepWritten,
    shown: Option<String>,
}

/// Closes or reopens a step, if it is still as it was shown.
pub(super) fn change_step(
    app: &AppState,
    (Signer(actor), PathParams((id, number)), JsonBody(sent)): (
        Signer,
        PathParams<(String, usize)>,
        JsonBody<StepChangeRequest>,
    ),
) -> JsonResult<ChangedStep> {
    let view = find(app, &id)?;
    let at = |view: &ThreadView| number.checked_sub(1).and_then(|at| steps(view).get(at).cloned());
    let Some(step) = at(&view).filter(|step| step_token(step) == sent.shown) else {
        let now = at(&view).map(|step| format!("{} ({})", step.step, step.status));
        let error = conflict(
            "the step has changed since it was shown",
            "nothing was changed; look at the step as it is now",
        );
        return Err(error.conflict(json!({ "now": now })));
    };
    let shown = ExpectedStep { id: step.id, step: step.step, status: Some(step.status) };
    let change = match sent.change {
        StepAction::Done => StepChange::Done,
        StepAction::Drop => StepChange::Drop,
        StepAction::Reopen => StepChange::Reopen,
    };
    let request = StepRequest { change, by: actor.name, note: non_empty(sent.note) };
    let workspace = app.live.workspace();
    let written = skein_checkpoints::change_shown_step(&workspace, &id, &shown, &request);
    app.checkpoints_changed();
    let written = written?;
    let shown = at(&find(app, &id)?).map(|step| step_token(&step));
    Ok(Json(ChangedStep { written, shown }))
}

/// A planned cleanup, with a token that identifies it.
#[derive(Serialize)]
pub(super) struct PlannedCleanup {
    #[serde(flatten)]
    cleanup: Cleanup,
    token: String,
}

impl PlannedCleanup {
    fn new(cleanup: Cleanup) -> Self {
        Self { token: format!("{:016x}", cleanup.token), cleanup }
    }
}

/// Returns the planned cleanup, without moving files.
pub(super) fn preview_cleanup(
    app: &AppState,
    (params,): ParamsRequest,
) -> JsonResult<PlannedCleanup> {
    params.only(&["archive"])?;
    let archive_days = number(&params, "archive")?;
    let (workspace, timeline) = (app.live.workspace(), app.live.timeline());
    let cleanup = timeline.preview_cleanup(&workspace, archive_days);
    Ok(Json(PlannedCleanup::new(cleanup)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CleanupRequest {
    archive: Option<u32>,
    token: String,
}

/// Moves the checkpoints of the cleanup that was shown.
pub(super) fn clean_up(
    app: &AppState,
    JsonBody(sent): JsonBody<CleanupRequest>,
) -> JsonResult<PlannedCleanup> {
    let bad = |_| bad_request("invalid `token`", "send the `token` of the list that was shown");
    let expect = Some(u64::from_str_radix(&sent.token, 16).map_err(bad)?);
    let options = CleanupOptions { archive_days: sent.archive, apply: true, expect };
    let done = skein_checkpoints::cleanup(&app.live.workspace(), &options);
    app.checkpoints_changed();
    Ok(Json(PlannedCleanup::new(done?)))
}

//! Checkpoints: reading them, writing them, and what is left to do.

use std::sync::Arc;

use axum::body::Body as Sendable;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use serde_json::json;
use skein_checkpoints::{
    Cleanup, CleanupOptions, ExpectedStep, Handoff, HandoffResult, Save, SaveResult, StepChange,
    StepRequest, StepWritten, WorkerGiven,
};
use skein_format::id::is_file_stem;
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, StepView, ThreadBody, ThreadRow, ThreadView};
use skein_summary::{Brief, group};

use super::filter as checked;
use crate::error::WebError;
use crate::json::Json;
use crate::page::{WorkFilter, shown_step};
use crate::request::{JsonBody, PathParams, QueryParams};
use crate::site::AppState;

/// How many checkpoints an answer has.
const LENGTH: usize = 100;

#[derive(Serialize)]
struct Listed<'a> {
    checkpoints: Vec<&'a ThreadRow>,
    /// How many pass in all.
    count: usize,
    /// The handoff that is offered first, whether or not it passes.
    handoff: Option<&'a str>,
    diagnostics: &'a [FileDiagnostic],
}

/// Lists the checkpoints that pass, the last made first.
pub(super) async fn list(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[
            "type", "branch", "tag", "worker", "file", "commit", "session", "steps", "after",
        ])?;
        checked(site, &pairs, Kind::Checkpoint, &["type"])?;
        if let Some(steps) = pairs.get("steps").filter(|steps| *steps != "open") {
            let message = format!("`steps` takes open, not `{steps}`");
            return Err(WebError::new(StatusCode::BAD_REQUEST, message)
                .hint("leave it out to list all checkpoints"));
        }
        let (timeline, links) = (site.desk.timeline(), site.links());
        let filter = WorkFilter::from_params(&pairs);
        let after = pairs.get("after").map_or(Ok(0), str::parse::<usize>);
        let after = after.map_err(|_| {
            WebError::new(StatusCode::BAD_REQUEST, "`after` is no number")
                .hint("give how many checkpoints you have already")
        })?;
        let meant = filter.of_all(&timeline, &links);
        let all = timeline.entries.iter().map(|entry| &entry.row);
        let groups = group(&site.desk.workspace(), &site.env, all);
        let offered = groups.first_handoff().map(|handoff| handoff.row.id.clone());
        let rows: Vec<&ThreadRow> = meant.iter().map(|entry| &entry.row).collect();
        let listed = Listed {
            count: rows.len(),
            checkpoints: rows.into_iter().skip(after).take(LENGTH).collect(),
            handoff: offered.as_deref(),
            diagnostics: &timeline.diagnostics,
        };
        Ok(Json(listed).into_response())
    })
    .await
}

/// A checkpoint with what names its steps.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    view: ThreadView,
    shown_steps: Vec<String>,
}

/// Finds a checkpoint by its exact id; a name from an address is never taken for a path.
fn find(site: &AppState, id: &str) -> Result<ThreadView, WebError> {
    let none = || WebError::no_checkpoint(id);
    if !is_file_stem(id) {
        return Err(none());
    }
    skein_checkpoints::view(&site.desk.workspace(), &site.env, id).ok_or_else(none)
}

fn steps(view: &ThreadView) -> &[StepView] {
    match &view.body {
        ThreadBody::Checkpoint(body) => &body.next_steps,
        _ => &[],
    }
}

/// Answers with one checkpoint.
pub(super) async fn one(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let view = find(site, &id)?;
        let shown_steps = steps(&view).iter().map(shown_step).collect();
        Ok(Json(Shown { view, shown_steps }).into_response())
    })
    .await
}

/// Answers with what the next one needs to know.
pub(super) async fn brief(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        find(site, &id)?;
        let brief = skein_summary::brief(&site.desk.workspace(), &site.env, Some(&id))?;
        let headers = [(CONTENT_TYPE, "text/markdown; charset=utf-8")];
        Ok((headers, Sendable::from(brief.text(Brief::LIMIT))).into_response())
    })
    .await
}

/// A checkpoint or a handoff to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewWork {
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

/// Returns a text that says something.
fn said(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Writes a full checkpoint.
pub(super) async fn save(
    State(site): State<Arc<AppState>>,
    JsonBody(new): JsonBody<NewWork>,
) -> Result<Json<SaveResult>, WebError> {
    site.run(move |site| {
        let worker = new.worker.map(|worker| WorkerGiven {
            id: worker.id.trim().to_owned(),
            skill: said(worker.skill),
            state: said(worker.state),
        });
        if worker.as_ref().is_some_and(|worker| worker.id.is_empty()) {
            let error = WebError::new(StatusCode::BAD_REQUEST, "the worker has no id");
            return Err(error.hint("give its id, or leave the worker out").field("worker"));
        }
        let save = Save {
            slug: said(new.slug),
            summary: new.summary,
            title: said(new.title),
            steps: new.steps,
            tags: new.tags,
            worker,
            files: new.files,
            session: None,
            record: None,
        };
        let saved = skein_checkpoints::save(&site.desk.workspace(), &site.env, &save);
        site.wrote_work();
        Ok(Json(saved?))
    })
    .await
}

/// Hands work over.
pub(super) async fn handoff(
    State(site): State<Arc<AppState>>,
    JsonBody(new): JsonBody<NewWork>,
) -> Result<Json<HandoffResult>, WebError> {
    site.run(move |site| {
        if new.slug.is_some() || new.worker.is_some() {
            let message = "a handoff has neither a short name nor a worker";
            let error = WebError::new(StatusCode::BAD_REQUEST, message);
            return Err(error.hint("leave them out, or write a checkpoint"));
        }
        let handoff = Handoff {
            message: new.summary,
            title: said(new.title),
            steps: new.steps,
            tags: new.tags,
            files: new.files,
            session: None,
        };
        let over = skein_checkpoints::handoff(&site.desk.workspace(), &site.env, &handoff);
        site.wrote_work();
        Ok(Json(over?))
    })
    .await
}

/// What becomes of a step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeStep {
    /// `done`, `drop` or `reopen`.
    change: String,
    /// Names the step as it was shown.
    shown: String,
    note: Option<String>,
}

/// A step that was changed, with what names it now.
#[derive(Serialize)]
pub(super) struct ChangedStep {
    #[serde(flatten)]
    written: StepWritten,
    shown: Option<String>,
}

/// Closes or opens a step, if it is still what was shown.
pub(super) async fn step(
    State(site): State<Arc<AppState>>,
    PathParams((id, number)): PathParams<(String, usize)>,
    JsonBody(sent): JsonBody<ChangeStep>,
) -> Result<Json<ChangedStep>, WebError> {
    site.run(move |site| {
        let change = match sent.change.as_str() {
            "done" => StepChange::Done,
            "drop" => StepChange::Drop,
            "reopen" => StepChange::Reopen,
            other => {
                let message = format!("a step cannot be changed by `{other}`");
                let error = WebError::new(StatusCode::BAD_REQUEST, message);
                return Err(error.hint("it takes `done`, `drop` or `reopen`"));
            }
        };
        let view = find(site, &id)?;
        let at =
            |view: &ThreadView| number.checked_sub(1).and_then(|at| steps(view).get(at).cloned());
        let step = at(&view).filter(|step| shown_step(step) == sent.shown);
        let Some(step) = step else {
            let now = at(&view).map(|step| format!("{} ({})", step.step, step.status));
            let error = WebError::new(StatusCode::CONFLICT, "the step was changed meanwhile");
            return Err(error
                .hint("nothing was changed; look at what is there now")
                .conflict(json!({ "now": now })));
        };
        let shown = ExpectedStep { id: step.id, step: step.step, status: step.status };
        let wanted = StepRequest { change, by: site.actor.name.clone(), note: said(sent.note) };
        let workspace = site.desk.workspace();
        let written =
            skein_checkpoints::change_shown_step(&workspace, &site.env, &id, &shown, &wanted);
        site.wrote_work();
        let written = written?;
        let shown = at(&find(site, &id)?).map(|step| shown_step(&step));
        Ok(Json(ChangedStep { written, shown }))
    })
    .await
}

/// What goes, with what names it.
#[derive(Serialize)]
pub(super) struct Cleaned {
    #[serde(flatten)]
    cleanup: Cleanup,
    token: String,
}

impl Cleaned {
    fn new(cleanup: Cleanup) -> Self {
        Self { token: format!("{:016x}", cleanup.token), cleanup }
    }
}

/// Says what would go.
pub(super) async fn would_go(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Json<Cleaned>, WebError> {
    site.run(move |site| {
        pairs.only(&["archive"])?;
        let days = pairs.get("archive").map(str::parse::<u32>).transpose();
        let archive_days = days.map_err(|_| {
            WebError::new(StatusCode::BAD_REQUEST, "`archive` is no number of days")
                .hint("give a whole number, or leave it out")
        })?;
        let (workspace, timeline) = (site.desk.workspace(), site.desk.timeline());
        Ok(Json(Cleaned::new(timeline.preview_cleanup(&workspace, &site.env, archive_days))))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CleanUp {
    archive: Option<u32>,
    /// Names what was shown.
    token: String,
}

/// Takes away what was shown.
pub(super) async fn clean_up(
    State(site): State<Arc<AppState>>,
    JsonBody(sent): JsonBody<CleanUp>,
) -> Result<Json<Cleaned>, WebError> {
    site.run(move |site| {
        let bad = |_| {
            WebError::new(StatusCode::BAD_REQUEST, "this names nothing that would go")
                .hint("send the `token` that the list was shown with")
        };
        let expect = Some(u64::from_str_radix(&sent.token, 16).map_err(bad)?);
        let options = CleanupOptions { archive_days: sent.archive, apply: true, expect };
        let done = skein_checkpoints::cleanup(&site.desk.workspace(), &site.env, &options);
        site.wrote_work();
        Ok(Json(Cleaned::new(done?)))
    })
    .await
}

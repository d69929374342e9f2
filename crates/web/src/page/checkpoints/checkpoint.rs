//! The page of one checkpoint.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse as _, Response};
use skein_format::id::is_file_stem;
use skein_format::path::WorkspacePath;
use skein_live::links::Links;
use skein_live::{SessionList, TimelineEntry};
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::{
    CheckpointBody, CheckpointRow, ThreadBody, TouchedFile, UnknownField, UnknownValue,
};
use skein_model::{PromptText, Sensitive};
use skein_summary::Brief;
use skein_workspace::ReviewStore;

use super::steps::ShownStep;
use super::timeline_line::{GitLine, kind_text, state_text};
use super::worker_diagram::WorkerDiagram;
use crate::app_state::AppState;
use crate::encode::encode;
use crate::error::WebError;
use crate::markdown;
use crate::page::frame::PageFrame;
use crate::page::id_prefix::other_id;
use crate::page::row_line::RowLine;
use crate::page::view_options::ViewOptions;
use crate::page::{IdPageRequest, count, render, time};
use crate::request::PathParams;
use crate::viewer::PageViewer;

const MAX_FILES: usize = 500;
/// The maximum number of threads that are shown for a file.
const MAX_THREADS: usize = 3;

#[derive(Template)]
#[template(path = "work/checkpoint.html")]
struct CheckpointPage {
    frame: PageFrame,
    id: String,
    kind: String,
    kind_text: &'static str,
    /// The state of the work; empty if it is open or if the diagram of the worker shows it.
    state: String,
    title: String,
    at: String,
    changed: String,
    /// The message of the handoff, as HTML; empty if it is the summary.
    message: String,
    summary: String,
    git: Option<GitLine>,
    facts: Vec<Fact>,
    /// The tags, and the addresses of the checkpoints that have them.
    tags: Vec<(String, String)>,
    worker: Option<WorkerDiagram>,
    steps: Vec<ShownStep>,
    open_steps: usize,
    files: Vec<TouchedFileLine>,
    more_files: usize,
    /// The commits that were made, and other checkpoints that made them.
    commits: Vec<(String, OtherCheckpoints)>,
    others: Vec<UnknownFieldLine>,
    problems: Vec<String>,
    brief: Result<String, String>,
    left: usize,
}

struct TouchedFileLine {
    path: String,
    /// The page of the file, if it is in the workspace.
    href: Option<String>,
    reason: String,
    deleted: bool,
    /// The open threads on it.
    threads: Vec<RowLine>,
    more_threads: usize,
    /// Other checkpoints that touched it.
    others: OtherCheckpoints,
}

/// The number of other checkpoints with the same value, and the address of their list.
type OtherCheckpoints = Option<(usize, String)>;

/// A property of a checkpoint, with related links.
struct Fact {
    name: &'static str,
    text: String,
    links: Vec<(String, String)>,
}

struct UnknownFieldLine {
    name: String,
    texts: Vec<String>,
}

/// Shows one checkpoint with all its fields.
pub(crate) fn page(
    app: &AppState,
    (PathParams(id), view, params): IdPageRequest,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let timeline = app.live.timeline();
    let ids = timeline.entries.iter().map(|entry| entry.row.id.as_str());
    if let Some(redirect) = other_id(&id, ids, "/work/")? {
        return Ok(redirect.into_response());
    }
    Ok(render(&build(app, &view, &id)?)?.into_response())
}

fn build(app: &AppState, view: &ViewOptions, id: &str) -> Result<CheckpointPage, WebError> {
    let workspace = app.live.workspace();
    let checkpoint =
        skein_checkpoints::view(&workspace, id).ok_or_else(|| WebError::no_checkpoint(id))?;
    let row = &checkpoint.row;
    let (no_detail, no_body) = (CheckpointRow::default(), CheckpointBody::default());
    let detail = row.checkpoint().unwrap_or(&no_detail);
    let body = if let ThreadBody::Checkpoint(body) = &checkpoint.body { body } else { &no_body };
    let title = one_line(&row.title);
    let summary = detail.summary.as_ref().map(Sensitive::redacted).unwrap_or_default();
    let brief = skein_summary::brief(&workspace, Some(id));
    let linked =
        Linked { links: &app.links(), id, sessions: &app.live.sessions(), viewer: app.viewer() };
    let previous = body.other.iter().find_map(previous_handoff).map(|id| {
        let links = vec![("show".to_owned(), format!("/work/{}", encode(&id)))];
        Fact { name: "Previous handoff", text: one_line(&id), links }
    });
    let made = row.created_at.or(row.updated_at);
    let step = |(number, step)| ShownStep::new(&row.id, number, step, !app.read_only);
    let others = body.other.iter().filter(|one| previous_handoff(one).is_none());
    Ok(CheckpointPage {
        frame: PageFrame::new(app, view, "work", &title),
        kind_text: kind_text(&detail.kind),
        state: state_text(row, detail, app.clock().local()),
        kind: one_line(&detail.kind),
        title,
        at: time(made),
        changed: time(row.updated_at.filter(|at| Some(*at) != made)),
        message: message(app, id, &summary),
        summary: markdown::html(&escape_control(&summary)),
        git: detail.git.as_ref().map(GitLine::new),
        facts: previous.into_iter().chain(facts(detail, body, &linked)).collect(),
        tags: detail.tags.iter().map(tag).collect(),
        worker: detail.worker.as_ref().map(|worker| WorkerDiagram::new(worker, false)),
        steps: (1..).zip(&body.next_steps).map(step).collect(),
        open_steps: detail.open_steps,
        files: files(&workspace.reviews, &body.files, &linked),
        more_files: body.files.len().saturating_sub(MAX_FILES),
        commits: body.commits_made.iter().map(|commit| linked.commit(commit)).collect(),
        others: others.map(unknown_field).collect(),
        problems: row.diagnostics.iter().map(|diag| one_line(&diag.message)).collect(),
        // It is made to be pasted into the prompt of an agent.
        brief: brief
            .map(|brief| PromptText::guard(&brief.text(Brief::LIMIT)).into_string())
            .map_err(|error| error.to_string()),
        left: app.live.timeline().open_steps(),
        id: row.id.clone(),
    })
}

/// Returns the message of the handoff as HTML, if this checkpoint is the last handoff.
fn message(app: &AppState, id: &str, summary: &str) -> String {
    let timeline = app.live.timeline();
    let handoff = timeline.handoff.as_ref().filter(|handoff| handoff.id == id);
    let message = handoff.map_or("", |handoff| handoff.message.as_str());
    if message.trim() == summary.trim() {
        String::new()
    } else {
        markdown::html(&escape_control(message))
    }
}

fn tag(tag: &Sensitive) -> (String, String) {
    (one_line(&tag.redacted()), format!("/work?tag={}", encode(&tag.redacted())))
}

fn facts(detail: &CheckpointRow, body: &CheckpointBody, linked: &Linked<'_>) -> Vec<Fact> {
    let git = detail.git.as_ref();
    let text = |text: Option<&String>| text.map(|text| one_line(text));
    let all = [
        ("Directory", detail.cwd.as_ref().map(|cwd| one_line(&cwd.redacted()))),
        ("Initial commit", text(git.and_then(|git| git.initial_commit.as_ref()))),
        (COMMIT, text(git.and_then(|git| git.current_commit.as_ref()))),
        ("Remote", text(git.and_then(|git| git.remote_url.as_ref()))),
        (SESSION, text(body.session_id.as_ref())),
        ("Trigger", text(body.trigger.as_ref())),
        ("Workspace", text(body.workspace_root.as_ref())),
    ];
    let fact = |(name, text): (&'static str, Option<String>)| {
        let text = text.filter(|text| !text.is_empty())?;
        let links = match name {
            COMMIT => linked.made(&text),
            SESSION => linked.session(&text),
            _ => Vec::new(),
        };
        Some(Fact { name, text, links })
    };
    all.into_iter().filter_map(fact).collect()
}

const COMMIT: &str = "Commit";
const SESSION: &str = "Agent session";

/// The links of a checkpoint.
struct Linked<'a> {
    links: &'a Links,
    id: &'a str,
    sessions: &'a SessionList,
    viewer: PageViewer<'a>,
}

impl Linked<'_> {
    fn others(&self, all: &[Arc<TimelineEntry>], name: &str, value: &str) -> OtherCheckpoints {
        let count = all.iter().filter(|entry| entry.row.id != self.id).count();
        (count > 0).then(|| (count, format!("/work?{name}={}", encode(value))))
    }

    fn commit(&self, commit: &str) -> (String, OtherCheckpoints) {
        let digits = commit.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
        (one_line(commit), self.others(&self.links.made(commit), "commit", digits))
    }

    /// Returns the link to the other checkpoints that made a commit.
    fn made(&self, commit: &str) -> Vec<(String, String)> {
        let made = self.others(&self.links.made(commit), "commit", commit);
        made.map(|(number, href)| (format!("made by {}", count(number, "checkpoint")), href))
            .into_iter()
            .collect()
    }

    /// Returns the links to a session, and to its other checkpoints.
    fn session(&self, id: &str) -> Vec<(String, String)> {
        let others = self.others(self.links.of_session(id), "session", id);
        let others =
            others.map(|(number, href)| (format!("in {} more", count(number, "checkpoint")), href));
        let is_known = self.sessions.sessions.iter().any(|row| row.id == id);
        let own = is_known.then(|| ("the session".into(), format!("/sessions?id={}", encode(id))));
        own.into_iter().chain(others).collect()
    }
}

fn files(
    reviews: &ReviewStore,
    files: &[TouchedFile],
    linked: &Linked<'_>,
) -> Vec<TouchedFileLine> {
    let links = linked.links;
    let line = |file: &TouchedFile| {
        let paths = links.means(&file.path);
        let open: Vec<_> = paths.iter().flat_map(|path| links.threads_on(path)).collect();
        let touched =
            paths.iter().find_map(|path| linked.others(links.touched(path), "file", path));
        let is_here = WorkspacePath::parse(&file.path, &reviews.store_path).is_ok()
            && reviews.root.join(&file.path).is_file();
        TouchedFileLine {
            path: one_line(&file.path),
            href: is_here.then(|| format!("/file/{}", encode(&file.path))),
            reason: file.reason.as_deref().map(one_line).unwrap_or_default(),
            deleted: file.deleted,
            threads: open
                .iter()
                .take(MAX_THREADS)
                .map(|view| RowLine::new(&view.row, linked.viewer))
                .collect(),
            more_threads: open.len().saturating_sub(MAX_THREADS),
            others: touched,
        }
    };
    files.iter().take(MAX_FILES).map(line).collect()
}

/// Returns the id of the previous handoff, if this field contains it.
fn previous_handoff(other: &UnknownField) -> Option<String> {
    let UnknownValue::Text(text) = &other.value else { return None };
    let json = Some(text).filter(|_| other.name == "metadata.previous_handoff")?;
    let json: serde_json::Value = serde_json::from_str(json).ok()?;
    json.get("last_thread")?.as_str().filter(|id| is_file_stem(id)).map(str::to_owned)
}

fn unknown_field(other: &UnknownField) -> UnknownFieldLine {
    let texts = match &other.value {
        UnknownValue::Text(text) => vec![escape_control(text).into_owned()],
        UnknownValue::List(list) => {
            list.iter().map(|text| escape_control(text).into_owned()).collect()
        }
    };
    UnknownFieldLine { name: one_line(&other.name), texts }
}

//! The page of one checkpoint.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use skein_format::id::is_file_stem;
use skein_format::path::WorkspacePath;
use skein_live::links::Links;
use skein_live::{SessionList, TimelineEntry};
use skein_model::Sensitive;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::{
    CheckpointBody, CheckpointRow, RowDetail, ThreadBody, TouchedFile, UnknownField, UnknownValue,
};
use skein_summary::Brief;
use skein_workspace::{Actor, ReviewStore};

use super::steps::StepLine;
use super::timeline_row::{GitLine, kind_text, state_text};
use super::worker_diagram::Machine;
use crate::encode::encode;
use crate::error::WebError;
use crate::markdown;
use crate::page::count;
use crate::page::frame::PageFrame;
use crate::page::related::RelatedLink;
use crate::page::visit::ViewOptions;
use crate::page::whole_id::{Whole, whole_id};
use crate::request::{PathParams, QueryParams};
use crate::site::AppState;

/// How many files are listed, and how many threads on each.
const FILES: usize = 500;
const THREADS: usize = 3;

#[derive(Template)]
#[template(path = "work/one.html")]
struct OnePage {
    frame: PageFrame,
    id: String,
    kind: String,
    kind_text: &'static str,
    /// What became of the work; nothing where it is open or a worker shows its state.
    state: String,
    title: String,
    at: String,
    changed: String,
    /// What was said when it was handed over, as HTML; nothing where the summary says it.
    message: String,
    summary: String,
    git: Option<GitLine>,
    facts: Vec<Fact>,
    /// The tags, and the addresses of what else has them.
    tags: Vec<(String, String)>,
    machine: Option<Machine>,
    steps: Vec<StepLine>,
    open_steps: usize,
    files: Vec<FileLine>,
    more_files: usize,
    /// The commits that were made, and what else made them.
    commits: Vec<(String, Others)>,
    others: Vec<OtherLine>,
    problems: Vec<String>,
    brief: Result<String, String>,
    left: usize,
}

struct FileLine {
    path: String,
    /// The page of the file, where it is one of the workspace.
    href: Option<String>,
    reason: String,
    deleted: bool,
    /// The open threads on it.
    threads: Vec<RelatedLink>,
    more_threads: usize,
    /// What else touched it.
    others: Others,
}

/// How many other checkpoints have to do with the same, and where they are.
type Others = Option<(usize, String)>;

/// Something that is known of a checkpoint, and what it leads to.
struct Fact {
    name: &'static str,
    text: String,
    ways: Vec<(String, String)>,
}

struct OtherLine {
    name: String,
    texts: Vec<String>,
}

/// Shows one checkpoint with everything that is in it.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    request: Request,
) -> Result<Response, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) =
        (ViewOptions::from_request(&site, &parts), QueryParams::from_uri(&parts.uri));
    site.run(move |site| {
        pairs.only(&[])?;
        let timeline = site.desk.timeline();
        let ids = || timeline.entries.iter().map(|entry| entry.row.id.as_str());
        match whole_id(&id, ids()) {
            Whole::Other(other) => Ok(crate::page::to(&format!("/work/{}", encode(other)))),
            Whole::Ambiguous => Err(WebError::ambiguous(&id)),
            Whole::Same | Whole::None => {
                Ok(crate::page::render(&build(site, &visit, &id)?)?.into_response())
            }
        }
    })
    .await
}

fn build(site: &AppState, visit: &ViewOptions, id: &str) -> Result<OnePage, WebError> {
    let workspace = site.desk.workspace();
    let view = skein_checkpoints::view(&workspace, &site.env, id)
        .ok_or_else(|| WebError::no_checkpoint(id))?;
    let (row, none) = (&view.row, CheckpointRow::default());
    let detail = match &row.detail {
        RowDetail::Checkpoint(detail) => detail,
        _ => &none,
    };
    let nothing = CheckpointBody::default();
    let body = match &view.body {
        ThreadBody::Checkpoint(body) => body,
        _ => &nothing,
    };
    let title = one_line(&row.title);
    let summary = detail.summary.as_ref().map(Sensitive::redacted).unwrap_or_default();
    let steps = (1..).zip(&body.next_steps);
    let brief = skein_summary::brief(&workspace, &site.env, Some(id));
    let around =
        Around { links: &site.links(), id, roll: &site.desk.sessions(), reader: &site.actor };
    let before_it = body.other.iter().find_map(before).map(|id| {
        let ways = vec![("show".to_owned(), format!("/work/{}", encode(&id)))];
        Fact { name: "Handed over before it", text: one_line(&id), ways }
    });
    let time = |at: Option<skein_format::time::Time>| at.map(|at| at.to_string());
    let (made, changed) = (row.created_at.or(row.updated_at), row.updated_at);
    Ok(OnePage {
        frame: PageFrame::new(site, visit, "work", &title),
        kind_text: kind_text(&detail.kind),
        state: state_text(row, detail, site.env.clock.local()),
        kind: one_line(&detail.kind),
        title,
        at: time(made).unwrap_or_default(),
        changed: time(changed.filter(|at| Some(*at) != made)).unwrap_or_default(),
        message: message(site, id, &summary),
        summary: markdown::html(&escape_control(&summary)),
        git: detail.git.as_ref().map(GitLine::new),
        facts: before_it.into_iter().chain(facts(detail, body, &around)).collect(),
        tags: detail.tags.iter().map(tag).collect(),
        machine: detail.worker.as_ref().map(|worker| Machine::new(worker, false)),
        steps: steps
            .map(|(number, step)| StepLine::new(&row.id, number, step, !site.read_only))
            .collect(),
        open_steps: detail.open_steps,
        files: files(&workspace.reviews, &body.files, &around),
        more_files: body.files.len().saturating_sub(FILES),
        commits: body.commits_made.iter().map(|commit| around.commit(commit)).collect(),
        others: body.other.iter().filter(|one| before(one).is_none()).map(other).collect(),
        problems: row.diagnostics.iter().map(|diag| one_line(&diag.message)).collect(),
        brief: brief.map(|brief| brief.text(Brief::LIMIT)).map_err(|error| error.to_string()),
        left: site.desk.timeline().open_steps(),
        id: row.id.clone(),
    })
}

/// Returns the message of a handoff as HTML, where this checkpoint is the one that was handed over.
fn message(site: &AppState, id: &str, summary: &str) -> String {
    let timeline = site.desk.timeline();
    let is_handed = timeline.handoff.as_deref() == Some(id);
    let message = timeline.handoff_message.as_deref().filter(|_| is_handed).unwrap_or_default();
    if message.trim() == summary.trim() {
        String::new()
    } else {
        markdown::html(&escape_control(message))
    }
}

fn tag(tag: &Sensitive) -> (String, String) {
    (one_line(&tag.redacted()), format!("/work?tag={}", encode(&tag.redacted())))
}

/// Returns what is known besides, in the order of how often it is wanted.
fn facts(detail: &CheckpointRow, body: &CheckpointBody, around: &Around<'_>) -> Vec<Fact> {
    let git = detail.git.as_ref();
    let text = |text: Option<&String>| text.map(|text| one_line(text));
    let all = [
        ("Directory", detail.cwd.as_ref().map(|cwd| one_line(&cwd.redacted()))),
        ("Began at", text(git.and_then(|git| git.initial_commit.as_ref()))),
        (COMMIT, text(git.and_then(|git| git.current_commit.as_ref()))),
        ("Remote", text(git.and_then(|git| git.remote_url.as_ref()))),
        (SESSION, text(body.session_id.as_ref())),
        ("Set off by", text(body.trigger.as_ref())),
        ("Workspace", text(body.workspace_root.as_ref())),
    ];
    let fact = |(name, text): (&'static str, Option<String>)| {
        let text = text.filter(|text| !text.is_empty())?;
        let ways = match name {
            COMMIT => around.made(&text),
            SESSION => around.session(&text),
            _ => Vec::new(),
        };
        Some(Fact { name, text, ways })
    };
    all.into_iter().filter_map(fact).collect()
}

const COMMIT: &str = "Commit";
const SESSION: &str = "Agent’s session";

/// What is around a checkpoint.
struct Around<'a> {
    links: &'a Links,
    id: &'a str,
    roll: &'a SessionList,
    reader: &'a Actor,
}

impl Around<'_> {
    fn others(&self, all: &[Arc<TimelineEntry>], name: &str, value: &str) -> Others {
        let count = all.iter().filter(|entry| entry.row.id != self.id).count();
        (count > 0).then(|| (count, format!("/work?{name}={}", encode(value))))
    }

    /// Returns a commit that was made, as it is shown.
    fn commit(&self, commit: &str) -> (String, Others) {
        let digits = commit.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
        (one_line(commit), self.others(&self.links.made(commit), "commit", digits))
    }

    /// Returns the ways to the checkpoints that made a commit.
    fn made(&self, commit: &str) -> Vec<(String, String)> {
        let made = self.others(&self.links.made(commit), "commit", commit);
        made.map(|(number, href)| (format!("made by {}", count(number, "checkpoint")), href))
            .into_iter()
            .collect()
    }

    /// Returns the ways to a session, and to its other checkpoints.
    fn session(&self, id: &str) -> Vec<(String, String)> {
        let others = self.others(self.links.of_session(id), "session", id);
        let others =
            others.map(|(number, href)| (format!("in {} more", count(number, "checkpoint")), href));
        let is_known = self.roll.sessions.iter().any(|row| row.id == id);
        let own = is_known.then(|| ("the session".into(), format!("/sessions?id={}", encode(id))));
        own.into_iter().chain(others).collect()
    }
}

fn files(reviews: &ReviewStore, files: &[TouchedFile], around: &Around<'_>) -> Vec<FileLine> {
    let links = around.links;
    let line = |file: &TouchedFile| {
        let paths = links.means(&file.path);
        let open: Vec<_> = paths.iter().flat_map(|path| links.threads_on(path)).collect();
        let touched =
            paths.iter().find_map(|path| around.others(links.touched(path), "file", path));
        let is_here = WorkspacePath::parse(&file.path, &reviews.store_path).is_ok()
            && reviews.root.join(&file.path).is_file();
        FileLine {
            path: one_line(&file.path),
            href: is_here.then(|| format!("/file/{}", encode(&file.path))),
            reason: file.reason.as_deref().map(one_line).unwrap_or_default(),
            deleted: file.deleted,
            threads: open
                .iter()
                .take(THREADS)
                .map(|view| RelatedLink::to_thread(view, around.reader))
                .collect(),
            more_threads: open.len().saturating_sub(THREADS),
            others: touched,
        }
    };
    files.iter().take(FILES).map(line).collect()
}

/// Returns the checkpoint that was handed over before, if this says so.
fn before(other: &UnknownField) -> Option<String> {
    let UnknownValue::Text(text) = &other.value else { return None };
    let said = Some(text).filter(|_| other.name == "metadata.previous_handoff")?;
    let said: serde_json::Value = serde_json::from_str(said).ok()?;
    said.get("last_thread")?.as_str().filter(|id| is_file_stem(id)).map(str::to_owned)
}

fn other(other: &UnknownField) -> OtherLine {
    let texts = match &other.value {
        UnknownValue::Text(text) => vec![escape_control(text).into_owned()],
        UnknownValue::List(list) => {
            list.iter().map(|text| escape_control(text).into_owned()).collect()
        }
    };
    OtherLine { name: one_line(&other.name), texts }
}

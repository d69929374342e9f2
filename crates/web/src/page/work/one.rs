//! The page of one checkpoint.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_engine::plain::{one_line, safe};
use skein_engine::view::{Body, CheckpointBody, CheckpointRow, Detail, File, Other, OtherValue};
use skein_engine::work::{self, Brief};
use skein_engine::{Guarded, Reviews};
use skein_format::path::WorkspacePath;

use super::machine::Machine;
use super::moment::{GitLine, kind_text};
use super::steps::StepLine;
use crate::ask::{Named, Pairs};
use crate::encode::encode;
use crate::error::WebError;
use crate::markdown;
use crate::page::frame::Frame;
use crate::page::visit::Visit;
use crate::site::Site;

/// How many files are listed.
const FILES: usize = 500;

#[derive(Template)]
#[template(path = "work/one.html")]
struct OnePage {
    frame: Frame,
    id: String,
    kind: String,
    kind_text: &'static str,
    title: String,
    at: String,
    changed: String,
    summary: String,
    git: Option<GitLine>,
    facts: Vec<(&'static str, String)>,
    /// The tags, and the addresses of what else has them.
    tags: Vec<(String, String)>,
    machine: Option<Machine>,
    steps: Vec<StepLine>,
    open_steps: usize,
    files: Vec<FileLine>,
    more_files: usize,
    commits: Vec<String>,
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
}

struct OtherLine {
    name: String,
    texts: Vec<String>,
}

/// Shows one checkpoint with everything that is in it.
pub(super) async fn page(
    State(site): State<Arc<Site>>,
    Named(id): Named<String>,
    request: Request,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) = (Visit::of(&site, &parts), Pairs::of(&parts.uri));
    site.run(move |site| {
        pairs.only(&[])?;
        crate::page::render(&build(site, &visit, &id)?)
    })
    .await
}

fn build(site: &Site, visit: &Visit, id: &str) -> Result<OnePage, WebError> {
    let workspace = site.desk.workspace();
    let view = work::view(&workspace, id).ok_or_else(|| WebError::no_checkpoint(id))?;
    let (row, none) = (&view.row, CheckpointRow::default());
    let detail = match &row.detail {
        Detail::Checkpoint(detail) => detail,
        _ => &none,
    };
    let nothing = CheckpointBody::default();
    let body = match &view.body {
        Body::Checkpoint(body) => body,
        _ => &nothing,
    };
    let title = one_line(&row.title);
    let summary = detail.summary.as_ref().map(Guarded::shown).unwrap_or_default();
    let steps = (1..).zip(&body.next_steps);
    let brief = work::brief(&workspace, &site.env, Some(id));
    let time = |at: Option<skein_format::time::Time>| at.map(|at| at.to_string());
    let (made, changed) = (row.created_at.or(row.updated_at), row.updated_at);
    Ok(OnePage {
        frame: Frame::new(site, visit, "work", &title),
        kind_text: kind_text(&detail.kind),
        kind: one_line(&detail.kind),
        title,
        at: time(made).unwrap_or_default(),
        changed: time(changed.filter(|at| Some(*at) != made)).unwrap_or_default(),
        summary: markdown::html(&safe(&summary)),
        git: detail.git.as_ref().map(GitLine::new),
        facts: facts(detail, body),
        tags: detail.tags.iter().map(tag).collect(),
        machine: detail.worker.as_ref().map(|worker| Machine::new(worker, false)),
        steps: steps
            .map(|(number, step)| StepLine::new(&row.id, number, step, !site.read_only))
            .collect(),
        open_steps: detail.open_steps,
        files: files(&workspace.reviews, &body.files),
        more_files: body.files.len().saturating_sub(FILES),
        commits: body.commits_made.iter().map(|commit| one_line(commit)).collect(),
        others: body.other.iter().map(other).collect(),
        problems: row.diagnostics.iter().map(|diag| one_line(&diag.message)).collect(),
        brief: brief.map(|brief| brief.text(Brief::LIMIT)).map_err(|error| error.to_string()),
        left: site.desk.timeline().entries.iter().map(|entry| entry.open_steps()).sum(),
        id: row.id.clone(),
    })
}

fn tag(tag: &Guarded) -> (String, String) {
    (one_line(&tag.shown()), format!("/work?tag={}", encode(&tag.shown())))
}

/// Returns what is known besides, in the order of how often it is wanted.
fn facts(detail: &CheckpointRow, body: &CheckpointBody) -> Vec<(&'static str, String)> {
    let git = detail.git.as_ref();
    let text = |text: Option<&String>| text.map(|text| one_line(text));
    let all = [
        ("Directory", detail.cwd.as_ref().map(|cwd| one_line(&cwd.shown()))),
        ("Began at", text(git.and_then(|git| git.initial_commit.as_ref()))),
        ("Commit", text(git.and_then(|git| git.current_commit.as_ref()))),
        ("Remote", text(git.and_then(|git| git.remote_url.as_ref()))),
        ("Agent’s session", text(body.session_id.as_ref())),
        ("Set off by", text(body.trigger.as_ref())),
        ("Workspace", text(body.workspace_root.as_ref())),
    ];
    let said = |(name, text): (&'static str, Option<String>)| Some((name, text?));
    all.into_iter().filter_map(said).filter(|(_, text)| !text.is_empty()).collect()
}

fn files(reviews: &Reviews, files: &[File]) -> Vec<FileLine> {
    let line = |file: &File| {
        let is_here = WorkspacePath::parse(&file.path, &reviews.store_path).is_ok()
            && reviews.root.join(&file.path).is_file();
        FileLine {
            path: one_line(&file.path),
            href: is_here.then(|| format!("/file/{}", encode(&file.path))),
            reason: file.reason.as_deref().map(one_line).unwrap_or_default(),
            deleted: file.deleted,
        }
    };
    files.iter().take(FILES).map(line).collect()
}

fn other(other: &Other) -> OtherLine {
    let texts = match &other.value {
        OtherValue::Text(text) => vec![safe(text).into_owned()],
        OtherValue::List(list) => list.iter().map(|text| safe(text).into_owned()).collect(),
    };
    OtherLine { name: one_line(&other.name), texts }
}

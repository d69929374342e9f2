//! The page of agent sessions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_live::SessionList;
use skein_live::links::Links;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, SessionRow, ThreadRow};
use skein_sessions::{MapRepair, check_directories, repair};

use super::choice::Choice;
use super::frame::PageFrame;
use super::visit::ViewOptions;
use crate::encode::encode;
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many sessions, and how many findings, are on the page.
const LENGTH: usize = 100;
const FINDINGS: usize = 50;

/// The states of a session, and what each means.
const STATUSES: [(&str, &str, &str); 4] = [
    ("active", "Active", "It is running."),
    ("disconnected", "Disconnected", "Its program is gone for now."),
    ("orphaned", "Orphaned", "Nobody knows it any more."),
    ("ended", "Ended", "It is over, for good."),
];

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: PageFrame,
    file: String,
    exists: bool,
    choices: Vec<Choice>,
    groups: Vec<Group>,
    count: usize,
    /// Whether one was asked for.
    only: bool,
    /// How many come before those that are shown, and the pages around.
    before: usize,
    newer: Option<String>,
    older: Option<String>,
    trouble: Option<String>,
    findings: Vec<String>,
    more_findings: usize,
    repair: Option<Plan>,
}

/// The sessions of one status.
struct Group {
    word: &'static str,
    name: String,
    meaning: &'static str,
    lines: Vec<Line>,
}

struct Line {
    /// Its id, as it can stand in an address.
    id: String,
    short: String,
    title: String,
    project: String,
    directory: String,
    gone: bool,
    /// The rule of the contract that its entry breaks.
    breach: String,
    thread: String,
    user: String,
    created: String,
    active: String,
    ended: String,
    status: String,
    /// How many checkpoints were made in it, and where they are.
    work: Option<(usize, String)>,
    moves: Vec<(&'static str, &'static str)>,
}

/// What a repair would do.
struct Plan {
    shown: String,
    entries: usize,
    duplicates: usize,
    cut: String,
    is_mark: bool,
}

/// Names what a repair would do, so that it can be told whether it is still that.
pub(crate) fn shown(repaired: &MapRepair) -> String {
    let mut hasher = DefaultHasher::new();
    let found = repaired.diagnostics.iter().map(|diag| (diag.code, diag.line, &diag.message));
    let found: Vec<_> = found.collect();
    (repaired.action == "sound", repaired.entries, &repaired.cut, repaired.duplicates, found)
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Lists the sessions by status.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, |site, visit, pairs| Ok(build(site, visit, pairs))).await
}

fn build(site: &AppState, visit: &ViewOptions, pairs: &QueryParams) -> SessionsPage {
    let roll = site.desk.sessions();
    let wanted = pairs.get("status").unwrap_or_default();
    let only = pairs.get("id").filter(|id| !id.is_empty());
    let is = |row: &ThreadRow, word: &str| {
        only.is_none_or(|id| row.id == id)
            && (word.is_empty() || row.status.as_deref() == Some(word))
    };
    let choice = |(word, name): (&'static str, &'static str)| Choice {
        name,
        href: href(word, 1),
        on: word == wanted,
        count: roll.sessions.iter().filter(|row| is(row, word)).count(),
    };
    let words = STATUSES.iter().map(|(word, name, _)| (*word, *name));
    let mut shown: Vec<&ThreadRow> = roll.sessions.iter().filter(|row| is(row, wanted)).collect();
    shown.sort_by_key(|row| rank(row));
    let last = shown.len().div_ceil(LENGTH).max(1);
    let asked = pairs.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize);
    let number = asked.clamp(1, last);
    let before = (number - 1) * LENGTH;
    let mut part: Vec<ThreadRow> =
        shown.iter().skip(before).take(LENGTH).copied().cloned().collect();
    check_directories(&mut part);
    let findings = roll.diagnostics.iter().take(FINDINGS);
    SessionsPage {
        frame: PageFrame::new(site, visit, "sessions", "Sessions"),
        file: roll.file.clone().unwrap_or_default(),
        exists: roll.exists,
        choices: [("", "All")].into_iter().chain(words).map(choice).collect(),
        groups: groups(&part, &site.links()),
        only: only.is_some(),
        count: shown.len(),
        before,
        newer: (number > 1).then(|| href(wanted, number - 1)),
        older: (number < last).then(|| href(wanted, number + 1)),
        trouble: roll.trouble.clone(),
        findings: findings
            .map(|diag| match diag.line {
                Some(line) => format!("Line {line}: {}", one_line(&diag.message)),
                None => one_line(&diag.message),
            })
            .collect(),
        more_findings: roll.diagnostics.len().saturating_sub(FINDINGS),
        repair: plan(site, &roll),
    }
}

fn href(status: &str, page: usize) -> String {
    let status = (!status.is_empty()).then(|| format!("status={}", encode(status)));
    let page = (page > 1).then(|| format!("page={page}"));
    let pairs: Vec<String> = status.into_iter().chain(page).collect();
    match pairs.is_empty() {
        true => "/sessions".to_owned(),
        false => format!("/sessions?{}", pairs.join("&")),
    }
}

/// Returns where sessions of a status stand: those that run first, those that have ended last.
fn rank(row: &ThreadRow) -> usize {
    let status = row.status.as_deref().unwrap_or_default();
    STATUSES.iter().position(|(word, ..)| *word == status).unwrap_or(STATUSES.len())
}

/// Says what a repair would do, where there is something to repair.
fn plan(site: &AppState, roll: &SessionList) -> Option<Plan> {
    // A sound map without findings need not be read once more.
    if !roll.exists || (roll.diagnostics.is_empty() && roll.trouble.is_none()) {
        return None;
    }
    let workspace = site.desk.workspace();
    let repaired = repair(workspace.sessions.map.as_ref()?, &site.env, false).ok()?;
    let cut: Vec<String> = repaired.cut.iter().take(20).map(u32::to_string).collect();
    (repaired.action != "sound").then(|| Plan {
        shown: shown(&repaired),
        entries: repaired.entries,
        duplicates: repaired.duplicates,
        cut: cut.join(", "),
        is_mark: repaired.is_only_marked(),
    })
}

fn groups(part: &[ThreadRow], links: &Links) -> Vec<Group> {
    let of = |part: &[ThreadRow]| {
        let word = part.first().and_then(|row| row.status.as_deref()).unwrap_or_default();
        let known = STATUSES.iter().find(|(one, ..)| *one == word);
        Group {
            word: known.map_or("other", |(word, ..)| word),
            name: known.map_or_else(|| one_line(word), |(_, name, _)| (*name).to_owned()),
            meaning: known.map_or("", |(.., meaning)| meaning),
            lines: part.iter().map(|row| line(row, links)).collect(),
        }
    };
    part.chunk_by(|a, b| a.status == b.status).map(of).collect()
}

fn line(row: &ThreadRow, links: &Links) -> Line {
    let none = SessionRow::default();
    let detail = match &row.detail {
        RowDetail::Session(detail) => detail,
        _ => &none,
    };
    let status = row.status.as_deref().unwrap_or_default().to_owned();
    let others = STATUSES.iter().filter(|(word, ..)| *word != status && status != "ended");
    Line {
        id: encode(&row.id).replace('/', "%2F"),
        short: one_line(&detail.short_id),
        title: one_line(&row.title),
        project: one_line(&detail.project_name),
        directory: one_line(&detail.directory),
        gone: detail.directory_exists == Some(false),
        breach: detail.breach.clone().unwrap_or_default(),
        thread: one_line(&detail.thread_root_post_id),
        user: one_line(&detail.mattermost_user_id),
        created: row.created_at.map(|at| at.to_string()).unwrap_or_default(),
        active: row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
        ended: detail.ended_at.as_deref().map(one_line).unwrap_or_default(),
        work: Some(links.of_session(&row.id).len())
            .filter(|count| *count > 0)
            .map(|count| (count, format!("/work?session={}", encode(&row.id)))),
        moves: others.map(|(word, name, _)| (*word, *name)).collect(),
        // A word that the format does not have is not sent back.
        status: if rank(row) < STATUSES.len() { status } else { String::new() },
    }
}

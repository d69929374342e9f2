//! The page of agent sessions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use askama::Template;
use skein_live::SessionList;
use skein_live::links::Links;
use skein_model::bridge::post_address;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, SessionRow, ThreadRow};
use skein_sessions::{MapRepair, MapRepairAction, check_directories, repair};

use super::frame::PageFrame;
use super::pager::Pager;
use super::{FilterLink, PageRequest, PageResult};
use crate::app_state::AppState;
use crate::encode::encode;

const PAGE_SIZE: usize = 100;
const MAX_FINDINGS: usize = 50;
/// The maximum number of damaged lines of the session map that are listed.
const MAX_CUT_LINES: usize = 20;

/// Each status with its name and its meaning, active sessions first.
const STATUSES: [(&str, &str, &str); 4] = [
    ("active", "Active", "The session is running."),
    ("disconnected", "Disconnected", "The agent process is not connected."),
    ("orphaned", "Orphaned", "The thread exists, but no agent knows this session."),
    ("ended", "Ended", "The session has ended, and cannot be resumed."),
];

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: PageFrame,
    list: std::sync::Arc<SessionList>,
    choices: Vec<FilterLink>,
    groups: Vec<StatusGroup>,
    pager: Pager,
    /// Whether one session was requested.
    only: bool,
    findings: Vec<String>,
    more_findings: usize,
    repair: Option<RepairPlan>,
}

/// The sessions of one status.
struct StatusGroup {
    word: &'static str,
    name: String,
    meaning: &'static str,
    lines: Vec<SessionLine>,
}

struct SessionLine {
    row: ThreadRow,
    detail: SessionRow,
    /// The id, encoded for an address.
    id: String,
    status: String,
    /// The number of its checkpoints, and their address.
    checkpoints: Option<(usize, String)>,
    /// The other statuses, with their names.
    other_statuses: Vec<(&'static str, &'static str)>,
}

/// A planned repair of the session map.
struct RepairPlan {
    token: String,
    entries: usize,
    duplicates: usize,
    cut: String,
    /// Whether the repair only removes a byte order mark.
    is_mark: bool,
}

/// Identifies a repair, so that only the repair that was shown is made.
pub(crate) fn repair_token(repair: &MapRepair) -> String {
    let mut hasher = DefaultHasher::new();
    let found = repair.diagnostics.iter().map(|diag| (diag.code, diag.line, &diag.message));
    let found: Vec<_> = found.collect();
    (
        repair.action == MapRepairAction::Sound,
        repair.entries,
        &repair.cut,
        repair.duplicates,
        found,
    )
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Lists the sessions by status.
pub(super) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let list = app.live.sessions();
    let wanted = params.get("status").unwrap_or_default();
    let only = params.get("id");
    let matches = |row: &ThreadRow, status: &str| {
        only.is_none_or(|id| row.id == id)
            && (status.is_empty() || row.status.as_deref() == Some(status))
    };
    let choice = |(status, name): (&'static str, &'static str)| FilterLink {
        name,
        href: super::address("/sessions", [("status", status)]),
        on: status == wanted,
        count: list.sessions.iter().filter(|row| matches(row, status)).count(),
    };
    let statuses = STATUSES.iter().map(|(status, name, _)| (*status, *name));
    let mut shown: Vec<&ThreadRow> =
        list.sessions.iter().filter(|row| matches(row, wanted)).collect();
    shown.sort_by_key(|row| rank(row));
    let pager = Pager::new(&params, ("sessions", shown.len(), PAGE_SIZE), |page| {
        super::address("/sessions", [("status", wanted), ("page", page)])
    });
    let part = shown.into_iter().skip(pager.before()).take(PAGE_SIZE);
    let mut part: Vec<ThreadRow> = part.cloned().collect();
    check_directories(&mut part);
    if let Some(server) = app.chat_server() {
        add_addresses(&mut part, &server);
    }
    let findings = list.diagnostics.iter().take(MAX_FINDINGS).map(|diag| match diag.line {
        Some(line) => format!("Line {line}: {}", one_line(&diag.message)),
        None => one_line(&diag.message),
    });
    super::render(&SessionsPage {
        frame: PageFrame::new(app, &view, "sessions", "Sessions"),
        choices: [("", "All")].into_iter().chain(statuses).map(choice).collect(),
        groups: groups(&part, &app.links()),
        only: only.is_some(),
        pager,
        findings: findings.collect(),
        more_findings: list.diagnostics.len().saturating_sub(MAX_FINDINGS),
        repair: plan(app, &list),
        list,
    })
}

/// Adds the addresses of the chat threads.
fn add_addresses(rows: &mut [ThreadRow], server: &str) {
    for row in rows {
        if let RowDetail::Session(session) = &mut row.detail {
            session.chat_address = post_address(server, &session.thread_root_post_id);
        }
    }
}

/// Returns the position of the status of a session in the list.
fn rank(row: &ThreadRow) -> usize {
    let status = row.status.as_deref().unwrap_or_default();
    STATUSES.iter().position(|(word, ..)| *word == status).unwrap_or(STATUSES.len())
}

/// Returns the planned repair, if there is something to repair.
fn plan(app: &AppState, list: &SessionList) -> Option<RepairPlan> {
    // A map without findings need not be read again.
    if !list.exists || (list.diagnostics.is_empty() && list.trouble.is_none()) {
        return None;
    }
    let workspace = app.live.workspace();
    let repair = repair(workspace.sessions.map.as_ref()?, &workspace.env, false).ok()?;
    let cut: Vec<String> = repair.cut.iter().take(MAX_CUT_LINES).map(u32::to_string).collect();
    (repair.action != MapRepairAction::Sound).then(|| RepairPlan {
        token: repair_token(&repair),
        entries: repair.entries,
        duplicates: repair.duplicates,
        cut: cut.join(", "),
        is_mark: repair.is_only_marked(),
    })
}

fn groups(rows: &[ThreadRow], links: &Links) -> Vec<StatusGroup> {
    let group = |rows: &[ThreadRow]| {
        let status = rows.first().and_then(|row| row.status.as_deref()).unwrap_or_default();
        let known = STATUSES.iter().find(|(one, ..)| *one == status);
        StatusGroup {
            word: known.map_or("other", |(word, ..)| word),
            name: known.map_or_else(|| one_line(status), |(_, name, _)| (*name).to_owned()),
            meaning: known.map_or("", |(.., meaning)| meaning),
            lines: rows.iter().map(|row| line(row, links)).collect(),
        }
    };
    rows.chunk_by(|a, b| a.status == b.status).map(group).collect()
}

fn line(row: &ThreadRow, links: &Links) -> SessionLine {
    let status = row.status.as_deref().unwrap_or_default().to_owned();
    let others = STATUSES.iter().filter(|(word, ..)| *word != status && status != "ended");
    let checkpoints = links.of_session(&row.id).len();
    SessionLine {
        detail: row.session().cloned().unwrap_or_default(),
        id: encode(&row.id).replace('/', "%2F"),
        checkpoints: (checkpoints > 0)
            .then(|| (checkpoints, format!("/work?session={}", encode(&row.id)))),
        other_statuses: others.map(|(word, name, _)| (*word, *name)).collect(),
        // An unknown status is not sent back.
        status: if rank(row) < STATUSES.len() { status } else { String::new() },
        row: row.clone(),
    }
}

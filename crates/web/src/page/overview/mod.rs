//! The overview: what waits on whom, what happened, and what is wrong.

mod item;
mod problems;

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_catalog::OtherWorktree;
use skein_format::time::Time;
use skein_model::view::{RowDetail, ThreadRow};
use skein_sessions::check_directories;
use skein_summary::{RecentActivity, WorkRow, group, recent};

use super::card::Viewer;
use super::count;
use super::frame::PageFrame;
use super::visit::ViewOptions;
use super::which::Which;
use crate::error::WebError;
use crate::site::AppState;
use item::Item;
use problems::Problems;

/// So many threads of a group are shown.
const MAX_SHOWN: usize = 8;
/// So much of what happened.
const HAPPENED: usize = 20;
/// What happened in so many milliseconds is shown.
const DAY: i64 = 24 * 60 * 60 * 1000;

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: PageFrame,
    sum: String,
    fresh: bool,
    groups: Vec<Group>,
    handoffs: Vec<Item>,
    /// What was said when the first of them was handed over.
    message: String,
    away: String,
    /// The other worktrees of the repository in which something is open.
    worktrees: Arc<Vec<OtherWorktree>>,
    happened: Vec<Item>,
    happened_sum: String,
    problems: Problems,
}

/// Threads that wait for the same.
struct Group {
    key: &'static str,
    name: &'static str,
    count: usize,
    items: Vec<Item>,
    /// What is said where there is none; nothing is shown where this is empty too.
    nothing: &'static str,
    /// Where the others are.
    more: &'static str,
}

/// Shows the page.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, |site, visit, _| Ok(build(site, visit))).await
}

fn build(site: &AppState, visit: &ViewOptions) -> OverviewPage {
    let workspace = site.desk.workspace();
    let threads = site.desk.threads();
    let timeline = site.desk.timeline();
    let mut sessions = site.desk.sessions().sessions.clone();
    let runs = |row: &&mut ThreadRow| row.status.as_deref() == Some("active");
    check_directories(sessions.iter_mut().filter(runs));
    let rows = || {
        let reviews = threads.views.iter().map(|view| &view.row);
        let checkpoints = timeline.entries.iter().map(|entry| &entry.row);
        reviews.chain(checkpoints).chain(&sessions)
    };
    let mut sum = group(&workspace, &site.env, rows());
    let now = site.env.clock.now();
    let since = Time::from_millis(now.as_millis().saturating_sub(DAY));
    let happened = recent(rows(), (since, now), HAPPENED);
    let (board, viewer) = (site.board(), site.viewer());
    let counts = [
        count(Which::Open.count(&board), "open thread"),
        format!("{} resolved", Which::Resolved.count(&board)),
        count(sum.checkpoints, "checkpoint"),
        count(sum.sessions, "session"),
    ];
    let new = |key, name, rows: &mut Vec<&ThreadRow>, nothing, more| {
        rows.sort_by_cached_key(|row| std::cmp::Reverse(row.effective_time(now)));
        let item = |row: &&ThreadRow| match board.get(&row.id) {
            Some(note) => Item::new(row, viewer).with_title(note.gist()),
            None => Item::new(row, viewer),
        };
        let items = rows.iter().take(MAX_SHOWN).map(item).collect();
        Group { key, name, count: rows.len(), items, nothing, more }
    };
    let reader = &viewer.actor.name;
    let is_mine =
        |row: &&ThreadRow| matches!(&row.detail, RowDetail::Review(it) if it.waits_on(reader));
    let (mut own, mut others): (Vec<&ThreadRow>, Vec<&ThreadRow>) =
        sum.waiting_on_reviewer.iter().copied().partition(is_mine);
    let groups = vec![
        new(
            "reviewer",
            "Waiting on you",
            &mut own,
            "Nothing waits on you.",
            "/threads?waiting=reviewer",
        ),
        new(
            "agent",
            "Waiting on an agent",
            &mut sum.waiting_on_agent,
            "Nothing waits on an agent.",
            "/threads?waiting=agent",
        ),
        new("others", "Waiting on others", &mut others, "", "/threads?waiting=others"),
        to_resume(&sum.to_resume, viewer),
        new("sessions", "Running sessions", &mut sum.active_sessions, "", "/sessions"),
    ];
    let happened_item = |(row, more): (&ThreadRow, &usize)| match board.get(&row.id) {
        Some(note) => Item::happened(row, viewer, since, *more).with_title(note.gist()),
        None => Item::happened(row, viewer, since, *more),
    };
    let first = sum.first_handoff().map(|handoff| handoff.row.id.clone());
    let (offered, others): (Vec<_>, Vec<_>) = sum
        .handoffs
        .into_iter()
        .partition(|handoff| Some(handoff.row.id.as_str()) == first.as_deref());
    let handoffs = offered.iter().chain(&others).take(MAX_SHOWN);
    let handoffs = handoffs.map(|handoff| Item::work(handoff, viewer)).collect();
    let message = offered.into_iter().find_map(|handoff| handoff.message);
    OverviewPage {
        frame: PageFrame::new(site, visit, "overview", "Overview"),
        sum: counts.join(", "),
        fresh: workspace.is_fresh(),
        groups,
        handoffs,
        message: message.unwrap_or_default(),
        away: away(sum.disconnected_sessions, sum.orphaned_sessions),
        worktrees: site.desk.other_worktrees(),
        happened_sum: happened_sum(&happened),
        happened: happened.threads.iter().zip(&happened.folded).map(happened_item).collect(),
        problems: Problems::new(site),
    }
}

fn to_resume(all: &[WorkRow<&ThreadRow>], viewer: Viewer<'_>) -> Group {
    Group {
        key: "resume",
        name: "Work to resume",
        count: all.len(),
        items: all.iter().take(MAX_SHOWN).map(|work| Item::work(work, viewer)).collect(),
        nothing: "",
        more: "/work/steps",
    }
}

fn away(disconnected: usize, orphaned: usize) -> String {
    let parts = [(disconnected, "disconnected"), (orphaned, "orphaned")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn happened_sum(happened: &RecentActivity) -> String {
    let parts = [
        (happened.reviews, "review"),
        (happened.checkpoints, "checkpoint"),
        (happened.sessions, "session"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, what)| count(*number, what)).collect::<Vec<_>>().join(", ")
}

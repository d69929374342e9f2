//! The overview: waiting threads, recent activity, and problems.

mod problems;

use std::cmp::Reverse;
use std::sync::Arc;

use askama::Template;
use skein_catalog::OtherWorktree;
use skein_format::time::Time;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_sessions::check_directories;
use skein_summary::{RecentActivity, WorkRow, group, recent};

use super::frame::PageFrame;
use super::row_line::RowLine;
use super::turn_label::TurnLabel;
use super::{PageRequest, PageResult, count};
use crate::app_state::AppState;
use crate::thread_index::ThreadFilter;
use crate::viewer::PageViewer;
use problems::Problems;

/// The maximum number of threads that are shown for a group.
const MAX_SHOWN: usize = 8;
const MAX_ACTIVITY: usize = 20;
/// The period of recent activity, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: PageFrame,
    counts: String,
    fresh: bool,
    groups: Vec<WaitingGroup>,
    handoffs: Vec<RowLine>,
    /// The message of the handoff that is offered first.
    message: String,
    /// The number of disconnected or orphaned sessions, in words.
    inactive: String,
    /// The other worktrees of the repository with open work.
    worktrees: Arc<Vec<OtherWorktree>>,
    activity: Vec<RowLine>,
    activity_counts: String,
    problems: Problems,
}

/// Threads that wait on the same person or agent.
struct WaitingGroup {
    key: &'static str,
    name: &'static str,
    count: usize,
    lines: Vec<RowLine>,
    /// The text for an empty group; without one, an empty group is not shown.
    empty: &'static str,
    /// The address of the list of all threads of the group.
    more: &'static str,
}

pub(super) fn page(app: &AppState, (view, _): PageRequest) -> PageResult {
    let workspace = app.live.workspace();
    let threads = app.live.threads();
    let timeline = app.live.timeline();
    let mut sessions = app.live.sessions().sessions.clone();
    let is_active = |row: &&mut ThreadRow| row.status.as_deref() == Some("active");
    check_directories(sessions.iter_mut().filter(is_active));
    let rows = || {
        let reviews = threads.views.iter().map(|view| &view.row);
        let checkpoints = timeline.entries.iter().map(|entry| &entry.row);
        reviews.chain(checkpoints).chain(&sessions)
    };
    let mut all = group(&workspace, rows());
    let now = app.clock().now();
    let since = Time::from_millis(now.as_millis().saturating_sub(DAY_MS));
    let activity = recent(rows(), (since, now), MAX_ACTIVITY);
    let (index, viewer) = (app.thread_index(), app.viewer());
    let counts = [
        count(index.count(ThreadFilter::Open), "open thread"),
        format!("{} resolved", index.count(ThreadFilter::Resolved)),
        count(all.checkpoints, "checkpoint"),
        count(all.sessions, "session"),
    ];
    let titled = |line: RowLine, row: &ThreadRow| match index.get(&row.id) {
        Some(thread) => line.with_title(thread.list_title()),
        None => line,
    };
    let waiting = |key, name, rows: &mut Vec<&ThreadRow>, empty, more| {
        rows.sort_by_cached_key(|row| Reverse(row.effective_time(now)));
        let lines = rows.iter().take(MAX_SHOWN).map(|row| titled(line(row, viewer), row));
        WaitingGroup { key, name, count: rows.len(), lines: lines.collect(), empty, more }
    };
    let reader = &viewer.actor.name;
    let is_mine = |row: &&ThreadRow| row.review().is_some_and(|it| it.waits_on(reader));
    let (mut own, mut others): (Vec<&ThreadRow>, Vec<&ThreadRow>) =
        all.waiting_on_reviewer.iter().copied().partition(is_mine);
    let (on_you, on_agent) = ("Nothing is waiting on you.", "Nothing is waiting on an agent.");
    let agent = &mut all.waiting_on_agent;
    let groups = vec![
        waiting("reviewer", "Waiting on you", &mut own, on_you, "/threads?waiting=reviewer"),
        waiting("agent", "Waiting on an agent", agent, on_agent, "/threads?waiting=agent"),
        waiting("others", "Waiting on others", &mut others, "", "/threads?waiting=others"),
        to_resume(&all.to_resume, viewer),
        waiting("sessions", "Running sessions", &mut all.active_sessions, "", "/sessions"),
    ];
    let activity_line =
        |(row, more): (&ThreadRow, &usize)| titled(activity_line(row, viewer, since, *more), row);
    let first = all.first_handoff().map(|handoff| handoff.row.id.clone());
    all.handoffs.sort_by_key(|handoff| Some(&handoff.row.id) != first.as_ref());
    let handoffs = all.handoffs.iter().take(MAX_SHOWN);
    let handoffs = handoffs.map(|handoff| work_line(handoff, viewer)).collect();
    let offered = all.handoffs.into_iter().find(|one| Some(&one.row.id) == first.as_ref());
    super::render(&OverviewPage {
        frame: PageFrame::new(app, &view, "overview", "Overview"),
        counts: counts.join(", "),
        fresh: workspace.is_fresh(),
        groups,
        handoffs,
        message: one_line(&offered.and_then(|handoff| handoff.message).unwrap_or_default()),
        inactive: inactive(all.disconnected_sessions, all.orphaned_sessions),
        worktrees: app.live.other_worktrees(),
        activity_counts: activity_counts(&activity),
        activity: activity.threads.iter().zip(&activity.folded).map(activity_line).collect(),
        problems: Problems::new(app),
    })
}

/// Returns the line of a thread, without the parts that the heading of its group already states.
fn line(row: &ThreadRow, viewer: PageViewer<'_>) -> RowLine {
    let mut line = RowLine::new(row, viewer);
    line.turn = line.turn.under_heading();
    line
}

/// Returns the line of a checkpoint, with its worktree and the agent that has resumed it.
fn work_line(work: &WorkRow<&ThreadRow>, viewer: PageViewer<'_>) -> RowLine {
    let mut line = line(work.row, viewer);
    let fact = Some(line.fact).filter(|fact| !fact.is_empty());
    let facts = fact.into_iter().chain(work.remarks(viewer.clock));
    line.fact = one_line(&facts.collect::<Vec<_>>().join(", "));
    line
}

/// Returns the line of a thread that changed, which represents `more` others of its session.
fn activity_line(row: &ThreadRow, viewer: PageViewer<'_>, since: Time, more: usize) -> RowLine {
    let mut line = line(row, viewer);
    let is_new = row.created_at.is_some_and(|at| at >= since);
    line.fact = match (&row.detail, is_new) {
        (RowDetail::Review(detail), _) => {
            line.turn = TurnLabel::new(row, &viewer.actor.name);
            // Files do not record who resolved a thread, except that it was an agent.
            if line.status == "resolved" && !detail.resolved_by_agent {
                line.who.clear();
            }
            let comments = count(detail.comment_count, "comment");
            if line.turn.has_turn() { String::new() } else { comments }
        }
        (RowDetail::Checkpoint(_), true) => "saved".to_owned(),
        (RowDetail::Session(_), true) => "started".to_owned(),
        (_, false) => "changed".to_owned(),
    };
    if more > 0 {
        line.fact = format!("{}, {more} more of its session", line.fact);
    }
    line
}

fn to_resume(all: &[WorkRow<&ThreadRow>], viewer: PageViewer<'_>) -> WaitingGroup {
    WaitingGroup {
        key: "resume",
        name: "Work to resume",
        count: all.len(),
        lines: all.iter().take(MAX_SHOWN).map(|work| work_line(work, viewer)).collect(),
        empty: "",
        more: "/work/steps",
    }
}

fn inactive(disconnected: usize, orphaned: usize) -> String {
    let parts = [(disconnected, "disconnected"), (orphaned, "orphaned")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn activity_counts(activity: &RecentActivity) -> String {
    let parts = [
        (activity.reviews, "review"),
        (activity.checkpoints, "checkpoint"),
        (activity.sessions, "session"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, what)| count(*number, what)).collect::<Vec<_>>().join(", ")
}

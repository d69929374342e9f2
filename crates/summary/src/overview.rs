use std::borrow::Borrow;
use std::cmp::Reverse;

use serde::Serialize;
use skein_catalog::drafts::visible_drafts;
use skein_catalog::rows::session::check_directories;
use skein_catalog::{
    OtherWorktree, WorktreeScope, handoff_pointer, list, other_worktrees, submodules,
};
use skein_checkpoints::{Surroundings, WorkOrigin, has_offer};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, RowDetail, SubmoduleSummary, ThreadRow};
use skein_model::{Filter, Kind, LocalClock, Sensitive, Turn, fold_autos};
use skein_workspace::{Actor, Workspace};

use crate::removed_worktrees::report_removed;

/// The threads grouped by whose turn it is.
#[derive(Debug, Serialize)]
pub struct Overview {
    /// The directory that paths of reviews are relative to.
    pub root: String,
    /// The branch, if any.
    pub branch: Option<String>,
    /// The name with which comments are signed here: only its own ones can be edited.
    pub author: String,
    /// Whether no store exists.
    pub fresh: bool,
    /// Open threads that wait for the reviewer.
    pub waiting_on_reviewer: Vec<ThreadRow>,
    /// Open threads that wait for an agent.
    pub waiting_on_agent: Vec<ThreadRow>,
    /// Unsubmitted comments.
    pub drafts: Vec<ThreadRow>,
    /// The other worktrees of the repository with open review threads, or open work in their own stores.
    pub other_worktrees: Vec<OtherWorktree>,
    /// The submodules with open review threads in stores of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<SubmoduleSummary>,
    /// The number of resolved review threads.
    pub resolved: usize,
    /// The handoff that is offered first: open, and nearest.
    pub handoff: Option<ThreadRow>,
    /// The message of that handoff.
    pub handoff_message: Option<String>,
    /// All handoffs that are open or taken, those of this worktree first, then of this branch.
    pub handoffs: Vec<WorkRow<ThreadRow>>,
    /// Other checkpoints with open steps, in the same order.
    pub to_resume: Vec<WorkRow<ThreadRow>>,
    /// Whether `skein resume` has something to offer.
    pub has_work: bool,
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// Active sessions.
    pub active_sessions: Vec<ThreadRow>,
    /// The number of disconnected sessions.
    pub disconnected_sessions: usize,
    /// The number of orphaned sessions.
    pub orphaned_sessions: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// Unusable threads.
    pub unusable: Vec<ThreadRow>,
    /// The number of warnings in usable threads.
    pub warnings: usize,
    /// Diagnostics that belong to no thread.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Recent changes, latest first.
#[derive(Debug, Default, Serialize)]
pub struct RecentActivity {
    /// The threads that were changed or created, up to a limit; for the auto-checkpoints of a session, the last one.
    pub threads: Vec<ThreadRow>,
    /// The number of further auto-checkpoints that each of them represents.
    pub folded: Vec<usize>,
    /// The number of changed reviews.
    pub reviews: usize,
    /// The number of changed checkpoints.
    pub checkpoints: usize,
    /// The number of changed sessions.
    pub sessions: usize,
}

/// Groups all threads by whose turn it is.
pub fn overview(workspace: &Workspace) -> Overview {
    let all = list(workspace, &Filter::default(), WorktreeScope::ThisWorktree);
    let groups = group(workspace, all.threads.iter().map(AsRef::as_ref));
    let first = groups.first_handoff().cloned();
    let copied = |rows: Vec<&ThreadRow>| rows.into_iter().cloned().collect();
    let owned = |rows: Vec<WorkRow<&ThreadRow>>| {
        let copied = |WorkRow { row, message, origin }: WorkRow<&ThreadRow>| WorkRow {
            row: row.clone(),
            message,
            origin,
        };
        rows.into_iter().map(copied).collect()
    };
    let mut sum = Overview {
        root: workspace.reviews.root.display().to_string(),
        branch: workspace.git.as_ref().map(|git| git.head().label()),
        author: Actor::find(workspace, None).name,
        fresh: workspace.is_fresh(),
        waiting_on_reviewer: copied(groups.waiting_on_reviewer),
        waiting_on_agent: copied(groups.waiting_on_agent),
        drafts: visible_drafts(workspace),
        other_worktrees: other_worktrees(workspace),
        submodules: submodules(workspace, false),
        resolved: groups.resolved,
        handoff: first.as_ref().map(|handoff| handoff.row.clone()),
        handoff_message: first.and_then(|handoff| handoff.message),
        handoffs: owned(groups.handoffs),
        has_work: groups.checkpoints > 0 && has_offer(workspace),
        to_resume: owned(groups.to_resume),
        checkpoints: groups.checkpoints,
        active_sessions: copied(groups.active_sessions),
        disconnected_sessions: groups.disconnected_sessions,
        orphaned_sessions: groups.orphaned_sessions,
        sessions: groups.sessions,
        unusable: copied(groups.unusable),
        warnings: groups.warnings,
        diagnostics: all.diagnostics.into_iter().chain(groups.diagnostics).collect(),
    };
    sum.diagnostics.extend(report_removed(workspace));
    check_directories(&mut sum.active_sessions);
    sum
}

/// Threads grouped by whose turn it is, in their original order.
#[derive(Debug, Default)]
pub struct ThreadGroups<'a> {
    /// Open threads that wait for the reviewer.
    pub waiting_on_reviewer: Vec<&'a ThreadRow>,
    /// Open threads that wait for an agent.
    pub waiting_on_agent: Vec<&'a ThreadRow>,
    /// The number of resolved review threads.
    pub resolved: usize,
    /// Handoffs that are open or taken, those of this worktree first, then of this branch; in each place the one that the pointer
    /// names, then the newest.
    pub handoffs: Vec<WorkRow<&'a ThreadRow>>,
    /// Other checkpoints with open steps, in the same order.
    pub to_resume: Vec<WorkRow<&'a ThreadRow>>,
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// Active sessions.
    pub active_sessions: Vec<&'a ThreadRow>,
    /// The number of disconnected sessions.
    pub disconnected_sessions: usize,
    /// The number of orphaned sessions.
    pub orphaned_sessions: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// Unusable threads.
    pub unusable: Vec<&'a ThreadRow>,
    /// The number of warnings in usable threads.
    pub warnings: usize,
    /// Problems of the handoff pointer.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Open work: a handoff, or a checkpoint with open steps.
#[derive(Clone, Debug, Serialize)]
pub struct WorkRow<R> {
    /// The checkpoint, with the holder of its lock.
    #[serde(flatten)]
    pub row: R,
    /// The message of the handoff.
    pub message: Option<String>,
    /// Where it was made.
    pub origin: WorkOrigin,
}

impl<R: Borrow<ThreadRow>> WorkRow<R> {
    /// Returns where the work was done, if not in this worktree, and the holder of its lock.
    pub fn remarks(&self, clock: LocalClock) -> Vec<String> {
        let taken = self.row.borrow().holder();
        let taken = taken.map(|holder| format!("taken {}", holder.text(clock)));
        self.origin.name().into_iter().chain(taken).collect()
    }
}

/// Groups threads by whose turn it is, without copying them.
pub fn group<'a>(
    workspace: &Workspace,
    rows: impl Iterator<Item = &'a ThreadRow>,
) -> ThreadGroups<'a> {
    let (pointer, diagnostics) = handoff_pointer::read(workspace);
    let checkpoints = &workspace.checkpoints;
    let target = pointer.as_ref().and_then(|pointer| handoff_pointer::target(checkpoints, pointer));
    let is_target = |row: &ThreadRow| target.as_ref().is_some_and(|(_, path)| *path == row.file);
    let mut groups = ThreadGroups { diagnostics, ..ThreadGroups::default() };
    let surroundings = Surroundings::new(workspace);
    let placed =
        |row: &'a ThreadRow, message| WorkRow { row, message, origin: origin(row, &surroundings) };
    for row in rows {
        match &row.detail {
            RowDetail::Checkpoint(detail)
                if row.usable && (detail.kind == "handoff" || is_target(row)) =>
            {
                groups.count(row);
                let said = pointer.as_ref().filter(|_| is_target(row));
                let message = said.and_then(|pointer| pointer.message.clone()).map(redacted);
                groups.handoffs.extend((!detail.is_over).then(|| placed(row, message)));
            }
            RowDetail::Checkpoint(detail)
                if row.usable && detail.open_steps > 0 && !detail.is_over =>
            {
                groups.count(row);
                groups.to_resume.push(placed(row, None));
            }
            _ => groups.add(row),
        }
    }
    groups
        .handoffs
        .sort_by_key(|one| (one.origin.place, !is_target(one.row), Reverse(one.row.created_at)));
    groups.to_resume.sort_by_key(|one| one.origin.place);
    groups
}

fn origin(row: &ThreadRow, surroundings: &Surroundings<'_>) -> WorkOrigin {
    let RowDetail::Checkpoint(detail) = &row.detail else { return surroundings.origin(None, None) };
    let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
    surroundings
        .origin(detail.cwd.as_ref().map(Sensitive::unredacted), branch.map(Sensitive::unredacted))
}

/// Returns the changes since a time, at most `most` threads.
pub fn recent<'a>(
    rows: impl Iterator<Item = &'a ThreadRow>,
    (since, now): (Time, Time),
    most: usize,
) -> RecentActivity {
    let at = |row: &ThreadRow| row.effective_time(now).filter(|at| *at >= since);
    let mut new: Vec<(Time, &ThreadRow)> = rows.filter_map(|row| Some((at(row)?, row))).collect();
    new.sort_unstable_by(|(at, a), (other, b)| other.cmp(at).then_with(|| a.id.cmp(&b.id)));
    let count = |kind: Kind| new.iter().filter(|(_, row)| row.kind == kind).count();
    let counts = [Kind::Review, Kind::Checkpoint, Kind::Session].map(count);
    let folded = fold_autos(new, |(_, row)| row);
    let shown = folded.into_iter().take(most);
    let (threads, folded) = shown.map(|((_, row), more)| (row.clone(), more)).unzip();
    let [reviews, checkpoints, sessions] = counts;
    RecentActivity { threads, folded, reviews, checkpoints, sessions }
}

impl<'a> ThreadGroups<'a> {
    /// Returns the handoff that is offered first: one that is not taken, if any.
    pub fn first_handoff(&self) -> Option<&WorkRow<&'a ThreadRow>> {
        let open = self.handoffs.iter().find(|handoff| handoff.row.holder().is_none());
        open.or_else(|| self.handoffs.first())
    }

    /// Counts a thread, and its warnings if it is usable.
    fn count(&mut self, row: &ThreadRow) {
        match row.kind {
            Kind::Checkpoint => self.checkpoints += 1,
            Kind::Session => self.sessions += 1,
            Kind::Review => {}
        }
        if row.usable {
            self.warnings += row.diagnostics.len();
        }
    }

    fn add(&mut self, row: &'a ThreadRow) {
        self.count(row);
        if !row.usable {
            self.unusable.push(row);
            return;
        }
        match &row.detail {
            RowDetail::Review(detail) => match detail.waiting_on {
                Some(Turn::Reviewer) => self.waiting_on_reviewer.push(row),
                Some(_) => self.waiting_on_agent.push(row),
                None => self.resolved += 1,
            },
            RowDetail::Session(_) => match row.status.as_deref() {
                Some("active") => self.active_sessions.push(row),
                Some("disconnected") => self.disconnected_sessions += 1,
                Some("orphaned") => self.orphaned_sessions += 1,
                _ => {}
            },
            RowDetail::Checkpoint(_) => {}
        }
    }
}

use serde::Serialize;
use skein_format::time::Time;

use crate::discover::Workspace;
use crate::env::Env;
use crate::filter::Filter;
use crate::handoff;
use crate::kind::Kind;
use crate::list::{Scope, list};
use crate::review;
use crate::sessions::look_at_directories;
use crate::view::{Detail, Diag, Row};

/// What waits on whom.
#[derive(Debug, Serialize)]
pub struct Overview {
    /// The directory that paths of reviews are relative to.
    pub root: String,
    /// The branch, where there is one.
    pub branch: Option<String>,
    /// Whether there is nothing at all yet.
    pub fresh: bool,
    /// Open threads whose last word is an agent's.
    pub waiting_on_reviewer: Vec<Row>,
    /// The other open threads.
    pub waiting_on_agent: Vec<Row>,
    /// The number of review threads that are settled.
    pub resolved: usize,
    /// The checkpoint that a handoff points at.
    pub handoff: Option<Row>,
    /// What was said when work was handed over.
    pub handoff_message: Option<String>,
    /// Checkpoints with something left to do, apart from the handoff.
    pub to_resume: Vec<Row>,
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// Sessions that are running.
    pub active_sessions: Vec<Row>,
    /// The number of sessions whose program is gone for now.
    pub disconnected_sessions: usize,
    /// The number of sessions that nobody knows any more.
    pub orphaned_sessions: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// Threads that cannot be used.
    pub unusable: Vec<Row>,
    /// The number of warnings in threads that can.
    pub warnings: usize,
    /// Findings that belong to no thread.
    pub diagnostics: Vec<Diag>,
}

/// What happened, the last first.
#[derive(Debug, Default, Serialize)]
pub struct Recent {
    /// The threads that were changed or began, no more of them than asked for.
    pub threads: Vec<Row>,
    /// How many reviews there are among all of them.
    pub reviews: usize,
    /// How many checkpoints.
    pub checkpoints: usize,
    /// How many sessions.
    pub sessions: usize,
}

/// Sums up what waits on whom.
pub fn overview(workspace: &Workspace, env: &Env) -> Overview {
    let all = list(workspace, env, &Filter::default(), Scope::ThisWorktree);
    let groups = group(workspace, all.threads.iter().map(AsRef::as_ref));
    let copied = |rows: Vec<&Row>| rows.into_iter().cloned().collect();
    let mut sum = Overview {
        root: workspace.reviews.root.display().to_string(),
        branch: workspace.git.as_ref().map(|git| git.head().label()),
        fresh: workspace.is_fresh(),
        waiting_on_reviewer: copied(groups.waiting_on_reviewer),
        waiting_on_agent: copied(groups.waiting_on_agent),
        resolved: groups.resolved,
        handoff: groups.handoff.cloned(),
        handoff_message: groups.handoff_message,
        to_resume: copied(groups.to_resume),
        checkpoints: groups.checkpoints,
        active_sessions: copied(groups.active_sessions),
        disconnected_sessions: groups.disconnected_sessions,
        orphaned_sessions: groups.orphaned_sessions,
        sessions: groups.sessions,
        unusable: copied(groups.unusable),
        warnings: groups.warnings,
        diagnostics: all.diagnostics.into_iter().chain(groups.diagnostics).collect(),
    };
    sum.diagnostics.extend(review::report_removed(workspace, env));
    look_at_directories(&mut sum.active_sessions);
    sum
}

/// Threads that are at hand, by what they wait for, in the order in which they came.
#[derive(Debug, Default)]
pub struct Groups<'a> {
    /// Open threads whose last word is an agent's.
    pub waiting_on_reviewer: Vec<&'a Row>,
    /// The other open threads.
    pub waiting_on_agent: Vec<&'a Row>,
    /// The number of review threads that are settled.
    pub resolved: usize,
    /// The checkpoint that a handoff points at.
    pub handoff: Option<&'a Row>,
    /// What was said when work was handed over.
    pub handoff_message: Option<String>,
    /// Checkpoints with something left to do, apart from the handoff.
    pub to_resume: Vec<&'a Row>,
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// Sessions that are running.
    pub active_sessions: Vec<&'a Row>,
    /// The number of sessions whose program is gone for now.
    pub disconnected_sessions: usize,
    /// The number of sessions that nobody knows any more.
    pub orphaned_sessions: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// Threads that cannot be used.
    pub unusable: Vec<&'a Row>,
    /// The number of warnings in threads that can.
    pub warnings: usize,
    /// What is wrong with the handoff.
    pub diagnostics: Vec<Diag>,
}

/// Groups threads by what they wait for; nothing is copied.
pub fn group<'a>(workspace: &Workspace, rows: impl Iterator<Item = &'a Row>) -> Groups<'a> {
    let (pointer, diagnostics) = handoff::read(workspace);
    let handoff_message = pointer.as_ref().and_then(|pointer| pointer.message.clone());
    let last = pointer.and_then(|pointer| pointer.last_thread);
    let mut groups = Groups { handoff_message, diagnostics, ..Groups::default() };
    for row in rows {
        groups.add(row, last.as_deref());
    }
    groups
}

/// Tells what was changed since a moment, at most so many of them.
pub fn recent<'a>(
    rows: impl Iterator<Item = &'a Row>,
    (since, now): (Time, Time),
    most: usize,
) -> Recent {
    let at = |row: &Row| row.effective_time(now).filter(|at| *at >= since);
    let mut new: Vec<(Time, &Row)> = rows.filter_map(|row| Some((at(row)?, row))).collect();
    new.sort_unstable_by(|(at, a), (other, b)| other.cmp(at).then_with(|| a.id.cmp(&b.id)));
    let count = |kind: Kind| new.iter().filter(|(_, row)| row.kind == kind).count();
    Recent {
        reviews: count(Kind::Review),
        checkpoints: count(Kind::Checkpoint),
        sessions: count(Kind::Session),
        threads: new.into_iter().take(most).map(|(_, row)| row.clone()).collect(),
    }
}

impl<'a> Groups<'a> {
    fn add(&mut self, row: &'a Row, handoff: Option<&str>) {
        match row.kind {
            Kind::Checkpoint => self.checkpoints += 1,
            Kind::Session => self.sessions += 1,
            Kind::Review => {}
        }
        if !row.usable {
            self.unusable.push(row);
            return;
        }
        self.warnings += row.diagnostics.len();
        match &row.detail {
            Detail::Review(detail) => match detail.waiting_on {
                Some("reviewer") => self.waiting_on_reviewer.push(row),
                Some(_) => self.waiting_on_agent.push(row),
                None => self.resolved += 1,
            },
            Detail::Checkpoint(_) if Some(row.id.as_str()) == handoff => {
                self.handoff = Some(row);
            }
            Detail::Checkpoint(detail) if detail.open_steps > 0 => self.to_resume.push(row),
            Detail::Session(_) => match row.status.as_deref() {
                Some("active") => self.active_sessions.push(row),
                Some("disconnected") => self.disconnected_sessions += 1,
                Some("orphaned") => self.orphaned_sessions += 1,
                _ => {}
            },
            Detail::Checkpoint(_) => {}
        }
    }
}

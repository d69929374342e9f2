use serde::Serialize;

use crate::discover::Workspace;
use crate::env::Env;
use crate::filter::Filter;
use crate::handoff;
use crate::kind::Kind;
use crate::list::{Scope, list};
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

/// Sums up what waits on whom.
pub fn overview(workspace: &Workspace, env: &Env) -> Overview {
    let all = list(workspace, env, &Filter::default(), Scope::ThisWorktree);
    let (pointer, found) = handoff::read(workspace);
    let head = workspace.git.as_ref().map(|git| git.head().label());
    let mut sum = Overview {
        root: workspace.reviews.root.display().to_string(),
        branch: head,
        fresh: workspace.is_fresh(),
        waiting_on_reviewer: Vec::new(),
        waiting_on_agent: Vec::new(),
        resolved: 0,
        handoff: None,
        handoff_message: pointer.as_ref().and_then(|pointer| pointer.message.clone()),
        to_resume: Vec::new(),
        checkpoints: 0,
        active_sessions: Vec::new(),
        disconnected_sessions: 0,
        orphaned_sessions: 0,
        sessions: 0,
        unusable: Vec::new(),
        warnings: 0,
        diagnostics: all.diagnostics.into_iter().chain(found).collect(),
    };
    let last = pointer.and_then(|pointer| pointer.last_thread);
    for row in all.threads {
        sum.add(*row, last.as_deref());
    }
    look_at_directories(&mut sum.active_sessions);
    sum
}

impl Overview {
    fn add(&mut self, row: Row, handoff: Option<&str>) {
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
            Detail::Checkpoint(_) if Some(row.id.as_str()) == handoff => self.handoff = Some(row),
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

//! Waits until there is something to do, without asking again and again.

mod agent;
mod reviewer;

use std::time::{Duration, Instant};

use serde::Serialize;
use skein_catalog::placed::place_rows;
use skein_catalog::{WorktreeScope, drafts, list};
use skein_model::view::ThreadRow;
use skein_model::{Filter, Kind, Turn};
use skein_store::{DirWatcher, Target};
use skein_workspace::{Env, Workspace, discover};

use super::submission::{SUBMIT_FILE, mark_dir};
use agent::ForAgent;
use reviewer::ForReviewer;

/// The longest wait.
const MAX_WAIT: Duration = Duration::from_secs(366 * 24 * 3600);
/// How often the files are read again, because the system may lose a report of a change.
const RESCAN_INTERVAL: Duration = Duration::from_secs(5);
/// How often the files are looked at where the system does not let them be watched.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What is waited for.
#[derive(Clone, Debug)]
pub struct WaitOptions {
    /// Whose turn it should be.
    pub whom: Turn,
    /// When to give up; zero looks once.
    pub timeout: Duration,
    /// How long the reviewer must have been quiet, unless the review was submitted.
    pub settle: Duration,
    /// Who waits for the agent's turn: threads that others have claimed do not count.
    pub token: Option<String>,
}

/// What a wait ended with.
#[derive(Clone, Debug, Serialize)]
pub struct Waited {
    /// The threads, the one that has waited longest first.
    pub waiting: Vec<ThreadRow>,
    /// `submit`: the reviewer submitted. `settled`: the reviewer has been quiet for a while. `waiting`: it was there already.
    /// `reply`: an agent replied. `resolved`: an agent resolved a thread. None after a timeout.
    pub reason: Option<&'static str>,
    /// Whether nothing came in time.
    pub timed_out: bool,
}

/// Waits until it is the turn of the agent or of the reviewer.
///
/// Stores that come into being meanwhile are found. `blocking` is called once, before the first pause.
pub fn wait(env: &Env, options: &WaitOptions, blocking: &mut dyn FnMut()) -> Waited {
    let deadline = Instant::now() + options.timeout.min(MAX_WAIT);
    let mut workspace = discover(env);
    // The watch comes before the first look, so that nothing happens unseen between them.
    let mut watcher = DirWatcher::default();
    watcher.set_targets(targets(&workspace, env));
    let mut judge = match options.whom {
        Turn::Agent => WaitCondition::Agent(ForAgent::new(&workspace, env, options)),
        Turn::Reviewer => WaitCondition::Reviewer(ForReviewer::new(&workspace, env)),
    };
    let mut is_announced = false;
    loop {
        let nap = match judge.look(&workspace, env) {
            PollOutcome::Found { mut rows, reason } => {
                place_rows(&workspace, env, &mut rows);
                return Waited { waiting: rows, reason: Some(reason), timed_out: false };
            }
            PollOutcome::Later(nap) => nap,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Waited { waiting: Vec::new(), reason: None, timed_out: true };
        }
        if !std::mem::replace(&mut is_announced, true) {
            blocking();
        }
        let pause = if watcher.is_polling() { POLL_INTERVAL } else { RESCAN_INTERVAL };
        watcher.wait(nap.min(left).min(pause));
        workspace = discover(env);
        watcher.set_targets(targets(&workspace, env));
    }
}

/// Returns the directories of the threads, of the drafts and of the mark of the last submit.
fn targets(workspace: &Workspace, env: &Env) -> Vec<Target<()>> {
    let target = |dir, accepts| Target { dir, tag: (), accepts, is_optional: false };
    vec![
        target(workspace.reviews.threads(), |name| name.ends_with(".md")),
        target(drafts::dir(workspace, env), |name| name.ends_with(".md")),
        target(mark_dir(workspace, env), |name| name == SUBMIT_FILE),
    ]
}

/// What a look at the threads gave.
enum PollOutcome {
    Found {
        rows: Vec<ThreadRow>,
        reason: &'static str,
    },
    /// Nothing yet; if nothing changes, look again after so long.
    Later(Duration),
}

enum WaitCondition {
    Agent(ForAgent),
    Reviewer(ForReviewer),
}

impl WaitCondition {
    fn look(&mut self, workspace: &Workspace, env: &Env) -> PollOutcome {
        let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
        let listed = list(workspace, env, &filter, WorktreeScope::ThisWorktree).threads;
        let mut rows = super::next::oldest_first(listed);
        rows.retain(|row| row.usable);
        match self {
            Self::Agent(agent) => agent.look(workspace, env, rows),
            Self::Reviewer(reviewer) => reviewer.look(rows),
        }
    }
}

fn waits_on(row: &ThreadRow, whom: Turn) -> bool {
    row.review().is_some_and(|detail| detail.waiting_on == Some(whom))
}

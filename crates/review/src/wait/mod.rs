//! Waits until a thread needs an answer, by watching the directories.

mod agent;
mod cancel;
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
pub use cancel::Cancel;
use reviewer::ForReviewer;

/// The longest wait.
const MAX_WAIT: Duration = Duration::from_secs(366 * 24 * 3600);
/// The interval between scans, because the system may drop change events.
const RESCAN_INTERVAL: Duration = Duration::from_secs(5);

/// Options of a wait.
#[derive(Clone, Debug)]
pub struct WaitOptions {
    /// Whose turn to wait for.
    pub whom: Turn,
    /// Maximum duration; zero checks once.
    pub timeout: Duration,
    /// How long the reviewer must have written nothing, unless the review was submitted.
    pub settle: Duration,
    /// The token of the waiting agent: threads claimed by others are ignored.
    pub token: Option<String>,
    /// Which threads count.
    pub filter: Filter,
    /// Ends the wait early.
    pub cancel: Cancel,
}

/// The result of a wait.
#[derive(Clone, Debug, Serialize)]
pub struct Waited {
    /// The threads, the longest waiting first.
    pub waiting: Vec<ThreadRow>,
    /// `submit`: the reviewer submitted. `settled`: the reviewer has written nothing for a while. `waiting`: a thread was already
    /// waiting. `reply`: an agent replied. `resolved`: an agent resolved a thread. None after a timeout.
    pub reason: Option<&'static str>,
    /// Whether the wait timed out, or was cancelled.
    pub timed_out: bool,
}

/// Waits until it is the turn of the agent or of the reviewer.
///
/// Stores that are created during the wait are found. `blocking` is called once, before the first pause.
pub fn wait(env: &Env, options: &WaitOptions, blocking: &mut dyn FnMut()) -> Waited {
    let deadline = Instant::now() + options.timeout.min(MAX_WAIT);
    let mut watcher = DirWatcher::default();
    let mut workspace = watch_workspace(env, &mut watcher);
    let mut judge = match options.whom {
        Turn::Agent => WaitCondition::Agent(ForAgent::new(&workspace, options)),
        Turn::Reviewer => WaitCondition::Reviewer(ForReviewer::new(&workspace)),
    };
    let mut is_announced = false;
    loop {
        let nap = match judge.look(&workspace, &options.filter) {
            PollOutcome::Found { mut rows, reason } => {
                place_rows(&workspace, &mut rows);
                return Waited { waiting: rows, reason: Some(reason), timed_out: false };
            }
            PollOutcome::Later(nap) => nap,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || options.cancel.is_cancelled() {
            return Waited { waiting: Vec::new(), reason: None, timed_out: true };
        }
        if !std::mem::replace(&mut is_announced, true) {
            blocking();
        }
        let pause = nap.min(left).min(watcher.rescan_interval());
        options.cancel.pause(&mut watcher, pause);
        workspace = watch_workspace(env, &mut watcher);
    }
}

/// Watches the workspace and returns it as it is after the watch started, so that no change is missed.
fn watch_workspace(env: &Env, watcher: &mut DirWatcher<()>) -> Workspace {
    let workspace = discover(env);
    match watcher.set_targets(targets(&workspace)) {
        // The store may have been created in between.
        true => discover(env),
        false => workspace,
    }
}

/// Returns the directories of the threads, the drafts and the submit file.
fn targets(workspace: &Workspace) -> Vec<Target<()>> {
    let target = |dir, accepts| Target { dir, tag: (), accepts, is_optional: false };
    vec![
        target(workspace.reviews.threads(), |name| name.ends_with(".md")),
        target(drafts::dir(workspace), |name| name.ends_with(".md")),
        target(mark_dir(workspace), |name| name == SUBMIT_FILE),
    ]
}

/// The result of checking the threads.
enum PollOutcome {
    Found {
        rows: Vec<ThreadRow>,
        reason: &'static str,
    },
    /// Nothing yet; check again after this time if nothing changes.
    Later(Duration),
}

enum WaitCondition {
    Agent(ForAgent),
    Reviewer(ForReviewer),
}

impl WaitCondition {
    fn look(&mut self, workspace: &Workspace, filter: &Filter) -> PollOutcome {
        let filter = Filter { kind: Some(Kind::Review), ..filter.clone() };
        let listed = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
        let mut rows = super::next::oldest_first(listed);
        rows.retain(|row| row.usable);
        match self {
            Self::Agent(agent) => agent.look(workspace, rows),
            Self::Reviewer(reviewer) => reviewer.look(rows),
        }
    }
}

fn waits_on(row: &ThreadRow, whom: Turn) -> bool {
    row.review().is_some_and(|detail| detail.waiting_on == Some(whom))
}

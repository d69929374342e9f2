//! Checks a workspace in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use skein_catalog::WorktreeScope;
use skein_format::time::Time;
use skein_workspace::Workspace;

use super::{CheckReport, Repair, check, repair};

/// Maximum age of a result if nothing has changed.
const MAX_AGE: Duration = Duration::from_secs(60);
/// Minimum time between two checks.
const MIN_INTERVAL: Duration = Duration::from_secs(5);

/// The last check of a workspace; a caller that finds it too old starts the next one.
#[derive(Default)]
pub struct BackgroundCheck(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    seen: Option<Arc<CheckSnapshot>>,
    finished: Option<Instant>,
    /// The number of the last change that the check includes.
    change: u64,
    is_running: bool,
}

/// The result of a check.
#[derive(Debug)]
pub struct CheckSnapshot {
    pub report: CheckReport,
    pub at: Time,
}

/// The result of a repair.
#[derive(Debug, Serialize)]
pub struct RepairResult {
    pub plan: String,
    /// The result, or the reason of the failure.
    #[serde(rename = "said")]
    pub message: String,
    pub done: bool,
}

/// Why nothing was repaired.
#[derive(Debug, thiserror::Error)]
pub enum OutdatedRepair {
    #[error("this repair is outdated: {plan}")]
    Changed { plan: String },
}

impl BackgroundCheck {
    /// Returns the last result, and whether a check is running or due; `change` is the number of the last change.
    pub fn last(
        &self,
        workspace: &Arc<Workspace>,
        change: u64,
    ) -> (Option<Arc<CheckSnapshot>>, bool) {
        let mut state = locked(&self.0);
        let is_news = state.change != change;
        let max_age = if is_news { MIN_INTERVAL } else { MAX_AGE };
        let is_old = state.finished.is_none_or(|finished| finished.elapsed() >= max_age);
        if is_old && !state.is_running {
            (state.is_running, state.change) = (true, change);
            let (shared, workspace) = (self.0.clone(), workspace.clone());
            thread::spawn(move || run_check(&shared, &workspace));
        }
        (state.seen.clone(), state.is_running || state.change != change)
    }

    /// Makes the next caller start a check, because files were changed.
    pub fn wrote(&self) {
        locked(&self.0).finished = None;
    }

    /// Makes the repairs with these plans; all of them must still be due.
    ///
    /// A failure does not stop the others.
    pub fn repair(
        &self,
        workspace: &Arc<Workspace>,
        plans: &[String],
    ) -> Result<Vec<RepairResult>, OutdatedRepair> {
        // The plans may be outdated; only problems that still exist are repaired.
        let due = check(workspace, WorktreeScope::ThisWorktree).repairs;
        let find = |plan: &String| due.iter().find(|one| one.plan() == *plan);
        let changed = |plan: &String| OutdatedRepair::Changed { plan: plan.clone() };
        let wanted: Result<Vec<&Repair>, OutdatedRepair> =
            plans.iter().map(|plan| find(plan).ok_or_else(|| changed(plan))).collect();
        let done = wanted?.into_iter().map(|one| {
            let result = repair(workspace, one);
            let done = result.is_ok();
            RepairResult {
                plan: one.plan(),
                message: result.unwrap_or_else(|error| error.to_string()),
                done,
            }
        });
        let done = done.collect();
        run_check(&self.0, workspace);
        Ok(done)
    }
}

fn run_check(shared: &Mutex<State>, workspace: &Workspace) {
    // Also after a panic, another check can start.
    let done = Done(shared);
    let at = workspace.env.clock.now();
    let report = check(workspace, WorktreeScope::ThisWorktree);
    locked(shared).seen = Some(Arc::new(CheckSnapshot { report, at }));
    drop(done);
}

struct Done<'a>(&'a Mutex<State>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut state = locked(self.0);
        (state.is_running, state.finished) = (false, Some(Instant::now()));
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

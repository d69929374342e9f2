//! Checks a workspace in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use skein_catalog::WorktreeScope;
use skein_format::time::Time;
use skein_workspace::{Env, Workspace};

use super::{CheckReport, Repair, check, repair};

/// Maximum age of a check without changes.
const OLD: Duration = Duration::from_secs(60);
/// Minimum time between two checks.
const PAUSE: Duration = Duration::from_secs(5);

/// The last check of a workspace; a caller that finds it too old starts the next one.
#[derive(Default)]
pub struct BackgroundCheck(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    seen: Option<Arc<CheckSnapshot>>,
    looked: Option<Instant>,
    /// The last change that the check includes.
    moment: u64,
    is_looking: bool,
}

/// The result of a check.
#[derive(Debug)]
pub struct CheckSnapshot {
    /// What is wrong.
    pub report: CheckReport,
    /// When that was.
    pub at: Time,
}

/// What became of a repair.
#[derive(Debug, Serialize)]
pub struct RepairResult {
    /// What was to be done.
    pub plan: String,
    /// What was done, or why not.
    pub said: String,
    /// Whether it was done.
    pub done: bool,
}

/// Why nothing was repaired.
#[derive(Debug, thiserror::Error)]
pub enum OutdatedRepair {
    /// What was to be repaired is not wrong any more, or in another way.
    #[error("this is not to be repaired any more: {plan}")]
    Changed { plan: String },
}

impl BackgroundCheck {
    /// Returns the last result, and whether a check is running or due; `moment` is the number of the last change.
    pub fn last(
        &self,
        workspace: &Arc<Workspace>,
        env: &Arc<Env>,
        moment: u64,
    ) -> (Option<Arc<CheckSnapshot>>, bool) {
        let mut state = locked(&self.0);
        let is_news = state.moment != moment;
        let patience = if is_news { PAUSE } else { OLD };
        let is_old = state.looked.is_none_or(|looked| looked.elapsed() >= patience);
        if is_old && !state.is_looking {
            (state.is_looking, state.moment) = (true, moment);
            let (shared, workspace, env) = (self.0.clone(), workspace.clone(), env.clone());
            thread::spawn(move || look(&shared, &workspace, &env));
        }
        (state.seen.clone(), state.is_looking || state.moment != moment)
    }

    /// Makes the next caller start a check, because something was changed.
    pub fn wrote(&self) {
        locked(&self.0).looked = None;
    }

    /// Carries out repairs by the text of their plans; all of them must still be due.
    ///
    /// One that fails does not keep the others from being done.
    pub fn repair(
        &self,
        workspace: &Arc<Workspace>,
        env: &Arc<Env>,
        plans: &[String],
    ) -> Result<Vec<RepairResult>, OutdatedRepair> {
        // What was shown may be old; what is done is what is wrong now.
        let due = check(workspace, env, WorktreeScope::ThisWorktree).repairs;
        let find = |plan: &String| due.iter().find(|one| one.plan() == *plan);
        let changed = |plan: &String| OutdatedRepair::Changed { plan: plan.clone() };
        let wanted: Result<Vec<&Repair>, OutdatedRepair> =
            plans.iter().map(|plan| find(plan).ok_or_else(|| changed(plan))).collect();
        let done = wanted?.into_iter().map(|one| {
            let result = repair(workspace, env, one);
            let done = result.is_ok();
            RepairResult {
                plan: one.plan(),
                said: result.unwrap_or_else(|error| error.to_string()),
                done,
            }
        });
        let done = done.collect();
        look(&self.0, workspace, env);
        Ok(done)
    }
}

fn look(shared: &Mutex<State>, workspace: &Workspace, env: &Env) {
    // Whatever happens, another look can begin.
    let done = Done(shared);
    let at = env.clock.now();
    let report = check(workspace, env, WorktreeScope::ThisWorktree);
    locked(shared).seen = Some(Arc::new(CheckSnapshot { report, at }));
    drop(done);
}

struct Done<'a>(&'a Mutex<State>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut state = locked(self.0);
        (state.is_looking, state.looked) = (false, Some(Instant::now()));
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

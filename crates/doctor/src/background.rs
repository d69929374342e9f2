//! Looks at a workspace in the background, for those who cannot wait for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use skein_catalog::WorktreeScope;
use skein_format::time::Time;
use skein_workspace::{Env, Workspace};

use super::{CheckReport, Repair, check, repair};

/// What was seen is looked at again after so long, if somebody asks.
const OLD: Duration = Duration::from_secs(60);
/// After a change it is looked at sooner, but not all the time.
const PAUSE: Duration = Duration::from_secs(5);

/// The last look at a workspace; the next one begins when somebody asks and it is time.
#[derive(Default)]
pub struct BackgroundCheck(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    seen: Option<Arc<CheckSnapshot>>,
    looked: Option<Instant>,
    /// The last change that the look has seen.
    moment: u64,
    is_looking: bool,
}

/// What a look saw.
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
    Changed {
        /// What was to be done.
        plan: String,
    },
}

impl BackgroundCheck {
    /// Returns what was seen last, and whether somebody is looking or is about to; `moment` is the last change.
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

    /// Lets the next who asks begin a look, because something was changed.
    pub fn wrote(&self) {
        locked(&self.0).looked = None;
    }

    /// Carries out repairs that were shown, by what was said of them; all of them must still be due.
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

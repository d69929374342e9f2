//! Counts open work in the stores of other worktrees, within a time limit.

use std::time::Instant;

use skein_catalog::other_stores::{OwnCheckpoints, other_stores};
use skein_format::redact::redacted;
use skein_model::truncate::truncate_line;

use super::call::HookCall;

/// Maximum number of worktrees that are listed.
const MAX_NAMED: usize = 3;
/// Maximum length of the name of a branch.
const MAX_BRANCH: usize = 60;

/// Returns a line about open work in other worktrees that is not in this one.
pub(super) fn work_elsewhere(call: &HookCall) -> Option<String> {
    let (workspace, now) = (&call.workspace, call.workspace.env.clock.now());
    let until = Instant::now() + call.time_left();
    let stores = other_stores(workspace);
    if stores.is_empty() {
        return None;
    }
    let own = OwnCheckpoints::list(workspace);
    let found = stores.into_iter().filter_map(|store| {
        let work = store.open_work(&own, now, Some(until));
        let least = if work.is_whole { "" } else { "at least " };
        let branch = truncate_line(&redacted(store.branch), MAX_BRANCH);
        (!work.ids.is_empty()).then(|| format!("{branch} ({least}{})", work.ids.len()))
    });
    let mut named: Vec<String> = found.collect();
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| {
        format!(
            "Other worktrees have checkpoints to resume: {}{more}. `skein checkpoint list --all-worktrees` lists them.",
            named.join(", ")
        )
    })
}

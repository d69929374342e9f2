//! Decides whether an actor may resolve a thread, or only propose it.

use skein_format::review::RESOLVE_PROPOSAL;
use skein_workspace::settings::{KEYS, Value, of_default_branch};
use skein_workspace::{Actor, Workspace};

/// The setting that lets agents resolve threads.
const KEY: &str = "review.agents_may_resolve";

/// Returns whether an actor may resolve threads.
pub(super) fn may_resolve(workspace: &Workspace, actor: &Actor) -> bool {
    !actor.agent || agents_may_resolve(workspace).0
}

/// Returns whether agents may resolve threads, and the default branch with that setting, if any.
///
/// An agent can set variables and edit files of the worktree. So only the user's own settings count, and the settings file of the
/// repository on its default branch.
pub fn agents_may_resolve(workspace: &Workspace) -> (bool, Option<String>) {
    if let Some(set) = workspace.settings.agents_may_resolve() {
        return (set, None);
    }
    let key = KEYS.iter().find(|key| key.name == KEY);
    let found = key.zip(workspace.repo()).and_then(|(key, repo)| of_default_branch(&repo, key));
    match found {
        Some((Value::Flag(flag), branch)) => (flag, Some(branch)),
        _ => (false, None),
    }
}

/// Returns the text of a comment that proposes to resolve a thread.
pub(super) fn proposal(body: Option<&str>) -> String {
    match body.map(str::trim_end).filter(|body| !body.is_empty()) {
        Some(body) => format!("{body}\n\n{RESOLVE_PROPOSAL}"),
        None => RESOLVE_PROPOSAL.to_owned(),
    }
}

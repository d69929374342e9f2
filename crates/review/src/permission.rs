//! Decides whether an actor may resolve a thread, or only propose it.

use skein_catalog::ThreadRef;
use skein_format::review::RESOLVE_PROPOSAL;
use skein_workspace::settings::{KEYS, Value, of_default_branch};
use skein_workspace::{Actor, Workspace, trust};

use crate::write_error::WriteError;

/// The setting that lets agents resolve threads.
const KEY: &str = "review.agents_may_resolve";

/// Whether agents may resolve threads, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvePermission {
    pub is_given: bool,
    /// The default branch, if it has the setting and the user has not.
    pub branch: Option<String>,
    /// Whether the default branch gives the permission, and no person has confirmed that on this machine.
    pub is_unconfirmed: bool,
}

/// Returns whether an actor may resolve threads.
pub(super) fn may_resolve(workspace: &Workspace, actor: &Actor) -> bool {
    !actor.agent || resolve_permission(workspace).is_given
}

/// Returns whether agents may resolve threads.
///
/// An agent can set variables, edit files of the worktree and move branches. So only the user's own settings count, and those of the
/// repository on its default branch after a person has confirmed it.
pub fn resolve_permission(workspace: &Workspace) -> ResolvePermission {
    let none = ResolvePermission { is_given: false, branch: None, is_unconfirmed: false };
    if let Some(is_given) = workspace.settings.agents_may_resolve() {
        return ResolvePermission { is_given, ..none };
    }
    let key = KEYS.iter().find(|key| key.name == KEY);
    let setting = key.zip(workspace.repo()).and_then(|(key, repo)| of_default_branch(&repo, key));
    let Some((Value::Flag(is_set), branch)) = setting else { return none };
    let roots = trust::roots(workspace);
    let is_confirmed =
        roots.first().is_some_and(|root| trust::is_resolving_confirmed(&workspace.env, root));
    ResolvePermission {
        is_given: is_set && is_confirmed,
        branch: Some(branch),
        is_unconfirmed: is_set && !is_confirmed,
    }
}

/// Refuses to let an agent delete a thread in which others wrote: they would not be told.
pub fn check_delete(actor: &Actor, threads: &[ThreadRef]) -> Result<(), WriteError> {
    if !actor.agent {
        return Ok(());
    }
    for thread in threads {
        let bytes = skein_store::read(&thread.path)?.bytes;
        let comments = thread.parse(bytes).0.comments();
        if comments.is_empty() || comments.iter().any(|comment| comment.author != actor.name) {
            return Err(WriteError::OthersWrote { id: thread.id() });
        }
    }
    Ok(())
}

/// Returns the text of a comment that proposes to resolve a thread.
pub(super) fn proposal(body: Option<&str>) -> String {
    match body.map(str::trim_end).filter(|body| !body.is_empty()) {
        Some(body) => format!("{body}\n\n{RESOLVE_PROPOSAL}"),
        None => RESOLVE_PROPOSAL.to_owned(),
    }
}

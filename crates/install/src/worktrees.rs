//! One consent for all worktrees of a clone: what is installed for one checkout is installed for the others.
//!
//! Files that git does not see belong to one worktree each. Those that are there get them with the first installation, and
//! those that are added later from a hook of git.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skein_workspace::{Env, Workspace, discover_in, trust};

use super::agent::{AGENTS, Scope, WORKTREES};
use super::error::InstallError;
use super::install::{Options, install_here};
use super::install_log::Entry;
use super::report::Report;
use super::task::top;
use super::tools::DetectedPrograms;
use super::uninstall::uninstall_one;
use super::{install_log, uninstall};

/// Tells what was installed in one of the worktrees of a clone.
pub(super) struct CloneEntries {
    tops: Vec<PathBuf>,
    common_dir: Option<PathBuf>,
}

impl CloneEntries {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let common_dir = workspace.git.as_ref().map(|git| git.common_dir.clone());
        Self { tops: tops(workspace), common_dir }
    }

    /// Returns whether an entry belongs to the clone; its worktree may be gone.
    pub(super) fn holds(&self, entry: &Entry) -> bool {
        let is_top = entry.root.as_ref().is_some_and(|root| self.tops.contains(root));
        is_top || (entry.common_dir.is_some() && entry.common_dir == self.common_dir)
    }
}

/// Returns the tops of all worktrees of the clone, this one first; without a repository there is one.
fn tops(workspace: &Workspace) -> Vec<PathBuf> {
    let here = top(workspace);
    let worktrees = workspace.git.as_ref().map(|git| git.worktrees()).unwrap_or_default();
    let others = worktrees.into_iter().map(|worktree| worktree.top).filter(|top| *top != here);
    std::iter::once(here.clone()).chain(others).collect()
}

/// Returns whether what is installed for this agent in one worktree is installed in the others too.
fn spreads(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.name == name && agent.name != "git")
}

/// Installs in the other worktrees of the clone what was installed in this one, and the hook for those that come later.
pub(super) fn spread(
    workspace: &Workspace,
    env: &Env,
    tools: &DetectedPrograms<'_>,
    name: &str,
    report: &mut Report,
) {
    if !spreads(name) || workspace.git.as_ref().is_none_or(|git| git.top.is_none()) {
        return;
    }
    let options = Options { scope: Some(Scope::Local), dry_run: report.dry_run, consent: false };
    for other in tops(workspace).into_iter().skip(1) {
        match install_here(&discover_in(env, &other), env, tools, name, &options) {
            Ok(more) => report.append(more),
            Err(error) => report.notes.push(format!(
                "Not installed in the worktree {}: {}",
                other.display(),
                uninstall::chain(&error)
            )),
        }
    }
    match install_here(workspace, env, tools, WORKTREES.name, &options) {
        Ok(more) => report.append(more),
        Err(error) => report.notes.push(format!(
            "A worktree that is added later needs `skein install {name}` of its own: {}",
            uninstall::chain(&error)
        )),
    }
}

/// Takes the hook for later worktrees back, where nothing is installed any more that it would repeat.
///
/// A dry run leaves `taken` where it is, the agent whose local installation would go.
pub(super) fn withdraw(
    workspace: &Workspace,
    env: &Env,
    taken: Option<&str>,
    report: &mut Report,
) -> Result<(), InstallError> {
    let mut left = names(env, workspace);
    left.retain(|name| Some(name.as_str()) != taken);
    let has_hooks = workspace.git.as_ref().is_some_and(|git| git.top.is_some());
    if left.is_empty() && has_hooks {
        uninstall_one(workspace, env, &WORKTREES, Some(Scope::Local), report)?;
    }
    Ok(())
}

/// Installs in a new worktree what is installed in the other ones of an accepted clone; returns what went wrong.
pub fn follow(workspace: &Workspace, env: &Env, tools: &DetectedPrograms<'_>) -> Vec<InstallError> {
    if !trust::roots(workspace).iter().any(|root| trust::is_accepted(env, root)) {
        return Vec::new();
    }
    let options = Options { scope: Some(Scope::Local), dry_run: false, consent: false };
    let names = names(env, workspace);
    let done = names.iter().map(|name| install_here(workspace, env, tools, name, &options));
    done.filter_map(Result::err).collect()
}

/// Returns the agents that something is installed for in the worktrees of the clone alone.
fn names(env: &Env, workspace: &Workspace) -> BTreeSet<String> {
    let clone = CloneEntries::new(workspace);
    let entries = install_log::entries(env).into_iter();
    let local = entries.filter(|entry| entry.scope == Scope::Local && spreads(&entry.agent));
    local.filter(|entry| clone.holds(entry)).map(|entry| entry.agent).collect()
}

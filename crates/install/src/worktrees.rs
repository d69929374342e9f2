//! Installs Skein in all worktrees of a clone.
//!
//! Ignored files exist in one worktree only. Existing worktrees get them with the first installation, later ones by a hook of git.

use std::path::PathBuf;

use skein_model::advice::with_causes;
use skein_workspace::{Workspace, discover_in, trust};

use super::agent::{Agent, Scope, WORKTREES};
use super::error::{InstallError, InstallResult};
use super::install::{InstallOptions, install_here};
use super::install_log::{CloneEntries, tops};
use super::lookup::{agent, is_for_all_worktrees};
use super::program::DetectedPrograms;
use super::report::InstallReport;

/// Installs Skein for an agent, or updates an older installation.
///
/// A local installation is made in all worktrees of the clone.
pub fn install(
    workspace: &Workspace,
    tools: &DetectedPrograms<'_>,
    name: &str,
    options: &InstallOptions,
) -> InstallResult<InstallReport> {
    let mut report = install_here(workspace, tools, name, options)?;
    let default = agent(name).and_then(|agent| agent.scopes.first().copied());
    if options.scope.or(default) == Some(Scope::Local) {
        install_in_others(workspace, tools, name, &mut report);
    }
    Ok(report)
}

/// Makes the same installation in the other worktrees of the clone, and installs the hook for later worktrees.
fn install_in_others(
    workspace: &Workspace,
    tools: &DetectedPrograms<'_>,
    name: &str,
    report: &mut InstallReport,
) {
    if !is_for_all_worktrees(name) || workspace.git.as_ref().is_none_or(|git| git.top.is_none()) {
        return;
    }
    let options =
        InstallOptions { scope: Some(Scope::Local), dry_run: report.dry_run, consent: false };
    for other in tops(workspace).into_iter().skip(1) {
        match install_here(&discover_in(&workspace.env, &other), tools, name, &options) {
            Ok(more) => report.append(more),
            Err(error) => report.notes.push(format!(
                "Not installed in the worktree {}: {}",
                other.display(),
                with_causes(&error)
            )),
        }
    }
    if agent(name).is_some_and(Agent::is_server) {
        // The hook for later worktrees does nothing in a workspace that the user has not accepted.
        let is_accepted = |root: &PathBuf| trust::is_accepted(&workspace.env, root);
        if !trust::roots(workspace).iter().any(is_accepted) {
            let note = format!("Run `skein install {name}` in worktrees that are added later");
            report.notes.push(note);
        }
        return;
    }
    match install_here(workspace, tools, WORKTREES.name, &options) {
        Ok(more) => report.append(more),
        Err(error) => report.notes.push(format!(
            "Run `skein install {name}` in worktrees that are added later: {}",
            with_causes(&error)
        )),
    }
}

/// Makes the installations of the other worktrees of a trusted clone in a new worktree; returns the errors.
pub fn follow(workspace: &Workspace, tools: &DetectedPrograms<'_>) -> Vec<InstallError> {
    if !trust::roots(workspace).iter().any(|root| trust::is_accepted(&workspace.env, root)) {
        return Vec::new();
    }
    let options = InstallOptions { scope: Some(Scope::Local), dry_run: false, consent: false };
    let names = CloneEntries::new(workspace).agents(&workspace.env);
    let done = names.iter().map(|name| install_here(workspace, tools, name, &options));
    done.filter_map(Result::err).collect()
}

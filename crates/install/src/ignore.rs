//! Makes git ignore the files of a local installation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_git::{Repo, RepoDirs};
use skein_workspace::{Env, Workspace, git_exclude};

use super::agent::{FileContent, Scope};
use super::error::InstallResult;
use super::install_log::{self, CloneEntries, LogEntry};
use super::program::HookProgram;
use super::task::PlannedFile;
use super::write::{self, EditOutcome};

/// Returns the line in `.git/info/exclude` for each file that git neither tracks nor ignores.
pub(super) fn lines(
    workspace: &Workspace,
    tasks: &[PlannedFile],
    program: &HookProgram,
) -> InstallResult<BTreeMap<PathBuf, String>> {
    let mut lines = BTreeMap::new();
    let Some(git) = &workspace.git else { return Ok(lines) };
    let Some(repo) = Repo::new(git) else { return Ok(lines) };
    let clone = CloneEntries::new(workspace);
    let known: Vec<String> = install_log::entries(&workspace.env)
        .into_iter()
        .filter(|entry| clone.holds(entry))
        .filter_map(|entry| entry.ignored)
        .collect();
    for task in tasks {
        let Some(below) = task.in_top(workspace) else { continue };
        // A file that Skein did not create is not ignored, unless it is local by its name.
        let entries = install_log::entries_of(&workspace.env, &task.path);
        if matches!(task.file.content, FileContent::Settings(_))
            && task.path.exists()
            && !below.contains(".local.")
            && !entries.iter().any(|entry| entry.created)
        {
            continue;
        }
        // Hooks of a project can be in the same file as a local server, or the other way round.
        let is_others =
            |one: &LogEntry| one.scope == Scope::Project && one.agent != task.agent.name;
        if entries.iter().any(is_others) {
            continue;
        }
        // A file of the user, who may want to commit it, is not ignored.
        if matches!(write::plan(&task.path, &task.edit(program))?.outcome, EditOutcome::Keep(_)) {
            continue;
        }
        // Files of a project installation must be visible to git.
        if task.other_scope(workspace) == Some(Scope::Project) {
            continue;
        }
        let line = line(&below);
        // A line that another worktree needs too is kept until both installations are removed.
        let is_ours = || known.contains(&line) && has(git, &line);
        if !repo.is_tracked(&below)? && (!repo.is_ignored(&below)? || is_ours()) {
            lines.insert(task.path.clone(), line);
        }
    }
    Ok(lines)
}

/// Returns the line in `.git/info/exclude` for a file.
pub(super) fn line(below: &str) -> String {
    format!("/{}", git_exclude::escape(below))
}

/// Returns whether `.git/info/exclude` has a line.
pub(super) fn has(git: &RepoDirs, line: &str) -> bool {
    let file = skein_store::read(&git.exclude_file());
    file.is_ok_and(|file| {
        git_exclude::lines(&file.bytes).any(|one| one.trim_ascii() == line.as_bytes())
    })
}

/// Adds lines to `.git/info/exclude`; returns whether it changed.
pub(super) fn hide(env: &Env, git: &RepoDirs, lines: &[String]) -> InstallResult<bool> {
    if lines.is_empty() {
        return Ok(false);
    }
    let changed = git_exclude::rewrite(env, git, &|old| {
        lines.iter().fold(old.to_vec(), |bytes, line| git_exclude::with(&bytes, line))
    })?;
    Ok(changed)
}

/// Removes lines from `.git/info/exclude`; returns whether it changed.
pub(super) fn show(env: &Env, git: &RepoDirs, removed: &[String]) -> InstallResult<bool> {
    if removed.is_empty() || !git.exclude_file().exists() {
        return Ok(false);
    }
    let is_removed = |one: &[u8]| removed.iter().any(|line| one == line.as_bytes());
    let changed = git_exclude::rewrite(env, git, &|old| git_exclude::without(old, &is_removed))?;
    if changed {
        git_exclude::drop_empty(env, git)?;
    }
    Ok(changed)
}

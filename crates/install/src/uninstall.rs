//! Uninstalls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skein_git::{Repo, RepoDirs};
use skein_store::remove_empty_dir;
use skein_workspace::{Env, Workspace, discover_in, registry, trust};

use super::agent::{AGENTS, Agent, FileContent, Scope, WORKTREES, agent};
use super::error::InstallError;
use super::install_log::{self, CloneEntries, LogEntry};
use super::own_files::{Ownership, whose};
use super::report::InstallReport;
use super::task::{PlannedFile, all_tasks, tasks};
use super::write::{EditOutcome, EditSettings};
use super::{git_hook, ignore, moves, store, write};
use crate::setup;

/// Only the user can decide which of two hooks to keep.
const TWO_HOOKS: &str = "another program put its hook over Skein's, and the one from before has the same name with `.skein-before`: keep what you need in the hook itself, and delete the other file";

/// A file that may hold something of ours.
struct InstalledFile {
    task: PlannedFile,
    entry: Option<LogEntry>,
    /// The other scope that needs it still.
    needed: Option<Scope>,
}

/// Takes back what was installed for one agent in this repository, or in one scope alone.
///
/// Without a scope, what serves the user in every directory stays, and a note says so.
pub fn uninstall(
    workspace: &Workspace,
    env: &Env,
    name: &str,
    scope: Option<Scope>,
    dry_run: bool,
) -> Result<InstallReport, InstallError> {
    let agent = agent(name).ok_or_else(|| InstallError::UnknownAgent { name: name.to_owned() })?;
    let mut report = InstallReport::new(dry_run);
    moves::follow_moves(workspace, env)?;
    uninstall_one(workspace, env, agent, scope, &mut report)?;
    // The hook for later worktrees goes with the last agent that it installs for; a dry run has left this one.
    let is_local = scope.is_none_or(|scope| scope == Scope::Local);
    let mut left = CloneEntries::new(workspace).agents(env);
    left.retain(|left| !is_local || left != name);
    if left.is_empty() && workspace.git.as_ref().is_some_and(|git| git.top.is_some()) {
        uninstall_one(workspace, env, &WORKTREES, Some(Scope::Local), &mut report)?;
    }
    if scope.is_none() {
        let entries = install_log::entries(env);
        let is_own = |entry: &&LogEntry| entry.agent == agent.name && entry.scope == Scope::User;
        report.notes.extend(entries.iter().find(is_own).map(|entry| {
            let file = entry.file.display();
            format!("What is installed for you in every directory stays ({file}); `skein uninstall {name} --user` removes it")
        }));
    }
    if !dry_run {
        forget_here(workspace, env, &mut report)?;
        moves::drop_notes(workspace, env)?;
    }
    Ok(report)
}

/// Takes back what was installed for an agent, in all worktrees of the clone.
pub(super) fn uninstall_one(
    workspace: &Workspace,
    env: &Env,
    agent: &'static Agent,
    scope: Option<Scope>,
    report: &mut InstallReport,
) -> Result<(), InstallError> {
    if let Some(scope) = scope {
        tasks(workspace, env, agent, scope)?;
    }
    let clone = CloneEntries::new(workspace);
    let is_in_scope = |one: Scope| scope.map_or(one != Scope::User, |scope| one == scope);
    let is_meant = |entry: &LogEntry| {
        entry.agent == agent.name
            && (entry.root.is_none() || clone.holds(entry))
            && is_in_scope(entry.scope)
    };
    let mut here = items_here(workspace, env, agent, scope);
    here.retain(|item| {
        is_in_scope(item.entry.as_ref().map_or(item.task.scope, |entry| entry.scope))
            || item.needed.is_some()
    });
    let (left, mut items): (Vec<InstalledFile>, Vec<InstalledFile>) =
        here.into_iter().partition(|item| item.needed.is_some());
    let is_left = |entry: &LogEntry| left.iter().any(|item| item.task.path == entry.file);
    add_recorded(env, &mut items, &|entry| is_meant(entry) && !is_left(entry));
    let dirs = take_all(env, items, report);
    for item in &left {
        leave(env, item, &dirs, report)?;
    }
    pass_on(env, &dirs)
}

/// Lets directories that were made for a file that is gone go with another file of ours that is in them.
fn pass_on(env: &Env, dirs: &[PathBuf]) -> Result<(), InstallError> {
    for dir in dirs {
        let entries = install_log::entries(env);
        let is_there = |entry: &&LogEntry| entry.file.starts_with(dir) && !entry.dirs.contains(dir);
        if let Some(entry) = entries.iter().find(is_there) {
            let mut entry = entry.clone();
            entry.dirs.push(dir.clone());
            install_log::record(env, &entry)?;
        }
    }
    Ok(())
}

/// Takes back what was installed in this repository, for every agent and in all worktrees of the clone.
///
/// What serves the user in every directory stays.
pub fn uninstall_here(
    workspace: &Workspace,
    env: &Env,
    dry_run: bool,
) -> Result<InstallReport, InstallError> {
    let mut report = InstallReport::new(dry_run);
    let moved_from = moves::follow_moves(workspace, env)?;
    let mut items = Vec::new();
    for agent in AGENTS.iter().chain([&WORKTREES]) {
        items.extend(items_here(workspace, env, agent, None));
    }
    items.retain(|item| item.task.scope != Scope::User);
    let clone = CloneEntries::new(workspace);
    let is_here = |entry: &LogEntry| clone.holds(entry);
    add_recorded(env, &mut items, &is_here);
    take_all(env, items, &mut report);
    let left: Vec<LogEntry> =
        install_log::entries(env).into_iter().filter(|one| !is_here(one)).collect();
    for root in trust::roots(workspace).into_iter().chain(moved_from) {
        let serves =
            |entry: &LogEntry| entry.root.as_ref().is_some_and(|top| top.starts_with(&root));
        if trust::is_accepted(env, &root) && !left.iter().any(serves) {
            forget(env, &root, &mut report)?;
        }
    }
    if let Some(entry) = left.iter().find(|entry| entry.root.is_none()) {
        report.notes.push(format!(
            "What is installed for you in every directory stays ({}); `skein uninstall --everywhere` takes it back",
            entry.file.display()
        ));
    }
    if dry_run {
        return Ok(report);
    }
    registry::forget(env, &workspace.reviews.root)?;
    moves::drop_notes(workspace, env)?;
    sweep(env)?;
    Ok(report)
}

/// Removes what is empty in the state directory.
fn sweep(env: &Env) -> Result<(), InstallError> {
    install_log::sweep(env)?;
    trust::sweep(env)?;
    registry::sweep(env);
    // A directory that holds something else stays.
    if env.dirs.state.is_dir() {
        remove_empty_dir(&env.dirs.state).unwrap_or(false);
    }
    Ok(())
}

/// Takes back everything that was ever installed, for every agent and in every repository that is still there.
pub fn uninstall_all(
    workspace: &Workspace,
    env: &Env,
    dry_run: bool,
) -> Result<InstallReport, InstallError> {
    let mut report = InstallReport::new(dry_run);
    moves::follow_moves(workspace, env)?;
    let mut items = Vec::new();
    for agent in AGENTS.iter().chain([&WORKTREES]) {
        items.extend(items_here(workspace, env, agent, None));
    }
    let mut roots: BTreeSet<PathBuf> = trust::accepted(env).into_iter().collect();
    roots.extend(install_log::entries(env).into_iter().filter_map(|entry| entry.root));
    add_recorded(env, &mut items, &|_| true);
    take_all(env, items, &mut report);
    for root in roots.iter().filter(|root| **root != workspace.top()) {
        drop_driver(root, &mut report);
    }
    for root in trust::accepted(env) {
        forget(env, &root, &mut report)?;
    }
    if dry_run {
        return Ok(report);
    }
    registry::forget_all(env)?;
    for root in roots.iter().filter(|root| root.is_dir()).chain([&workspace.top()]) {
        moves::drop_notes(&discover_in(env, root), env)?;
    }
    sweep(env)?;
    Ok(report)
}

/// Forgets that the user accepts what is here, where nothing is installed that could speak of it.
fn forget_here(
    workspace: &Workspace,
    env: &Env,
    report: &mut InstallReport,
) -> Result<(), InstallError> {
    let entries = install_log::entries(env);
    let here = workspace.top();
    for root in trust::roots(workspace) {
        let serves = |served: &PathBuf| served.starts_with(&root) || *served == here;
        if !entries.iter().any(|entry| entry.root.as_ref().is_none_or(serves)) {
            forget(env, &root, report)?;
        }
    }
    Ok(())
}

fn forget(env: &Env, root: &Path, report: &mut InstallReport) -> Result<(), InstallError> {
    if report.dry_run {
        let root = root.display();
        report.notes.push(format!("Hooks would not tell agents of {root} any more"));
        return Ok(());
    }
    if store::drop_unused(env, root)? {
        report.notes.push(format!("Removed the store without checkpoints in {}", root.display()));
    }
    if trust::forget(env, root)? {
        report.notes.push(format!("Hooks do not tell agents of {} any more", root.display()));
    }
    Ok(())
}

fn drop_driver(root: &Path, report: &mut InstallReport) {
    let layout = RepoDirs::discover(root).ok().flatten();
    let Some(repo) = layout.as_ref().and_then(Repo::new) else { return };
    let verb = if report.dry_run { "Would remove" } else { "Removed" };
    match setup::drop_drivers(&repo, report.dry_run) {
        Ok(true) => report.notes.push(format!("{verb} the merge driver of {}", root.display())),
        Ok(false) => {}
        Err(error) => report.failed.push(error.to_string()),
    }
}

/// Lists the files of an agent that are here or in the user's home.
fn items_here(
    workspace: &Workspace,
    env: &Env,
    agent: &'static Agent,
    scope: Option<Scope>,
) -> Vec<InstalledFile> {
    let mut items: Vec<InstalledFile> = Vec::new();
    for one in agent.scopes.iter().copied().filter(|one| scope.is_none_or(|scope| scope == *one)) {
        // Where there is no repository, or no home, nothing of ours can be in it.
        for task in all_tasks(workspace, env, agent, one).unwrap_or_default() {
            let entry = install_log::entry(env, &task.path);
            let is_known = items.iter().any(|item| item.task.path == task.path);
            let needed = scope.and_then(|_| task.other_scope(workspace, env));
            let is_anothers =
                scope.is_some() && entry.as_ref().is_some_and(|entry| entry.scope != one);
            if is_known || (is_anothers && needed.is_none()) || task.check_links(workspace).is_err()
            {
                continue;
            }
            items.push(InstalledFile { task, entry, needed });
        }
    }
    items
}

/// Adds files that are known from the log alone.
fn add_recorded(env: &Env, items: &mut Vec<InstalledFile>, is_meant: &dyn Fn(&LogEntry) -> bool) {
    for entry in install_log::entries(env).into_iter().filter(is_meant) {
        if items.iter().any(|item| item.task.path == entry.file) {
            continue;
        }
        let Some(agent) = agent(&entry.agent) else { continue };
        let files = agent.files().filter(|file| entry.file.ends_with(&*file.path));
        let Some(file) = files.max_by_key(|file| file.path.len()) else { continue };
        let task = PlannedFile { agent, scope: entry.scope, path: entry.file.clone(), file };
        items.push(InstalledFile { task, entry: Some(entry), needed: None });
    }
}

/// Leaves a file to the scope that needs it still, with the directories that hold it, and says so.
fn leave(
    env: &Env,
    item: &InstalledFile,
    dirs: &[PathBuf],
    report: &mut InstallReport,
) -> Result<(), InstallError> {
    let Some(scope) = item.needed else { return Ok(()) };
    let edit = |_: Option<&[u8]>| {
        Ok(EditOutcome::Keep(match scope {
            Scope::Local => "the installation for this checkout needs it still",
            Scope::Project => "the installation for the project needs it still",
            Scope::User => "your own installation needs it still",
        }))
    };
    let done = write::plan(&item.task.path, &edit)?;
    if done.before.as_deref().is_none_or(|bytes| whose(bytes) == Ownership::Foreign) {
        return Ok(());
    }
    report.add(&item.task, &done);
    let Some(entry) = item.entry.as_ref().filter(|_| !report.dry_run) else { return Ok(()) };
    let mut entry = LogEntry { scope, ..entry.clone() };
    let more =
        dirs.iter().filter(|dir| item.task.path.starts_with(dir) && !entry.dirs.contains(dir));
    let more: Vec<PathBuf> = more.cloned().collect();
    entry.dirs.extend(more);
    Ok(install_log::record(env, &entry)?)
}

/// Takes back what is in all the files; returns the directories that were made for them and hold something still.
fn take_all(env: &Env, items: Vec<InstalledFile>, report: &mut InstallReport) -> Vec<PathBuf> {
    let mut dirs = BTreeSet::new();
    let mut lines: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for item in items {
        let made = item.entry.as_ref().map(|entry| entry.dirs.clone()).unwrap_or_default();
        match take(env, &item, report) {
            Ok(line) => {
                dirs.extend(made);
                if let Some((root, line)) = line {
                    let lines = lines.entry(root).or_default();
                    // Worktrees of one clone share the line.
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
            }
            Err(error) => report.failed.push(error.with_causes()),
        }
    }
    for (root, lines) in &lines {
        let (verb, root) = (if report.dry_run { "Would take" } else { "Took" }, root.display());
        let lines = lines.join(", ");
        report.notes.push(format!("{verb} out of .git/info/exclude in {root}: {lines}"));
    }
    if report.dry_run {
        return Vec::new();
    }
    let mut dirs: Vec<PathBuf> = dirs.into_iter().collect();
    dirs.sort_by_key(|dir| Reverse(dir.components().count()));
    // One that holds something else stays.
    dirs.retain(|dir| !remove_empty_dir(dir).unwrap_or(false));
    dirs
}

/// Takes back what is in one file; returns the line that hid it from git, and where that was.
fn take(
    env: &Env,
    item: &InstalledFile,
    report: &mut InstallReport,
) -> Result<Option<(PathBuf, String)>, InstallError> {
    let edit = edit(item);
    let edit: EditSettings<'_> = &edit;
    let is_hook = matches!(item.task.file.content, FileContent::GitHook(_));
    if is_hook && !report.dry_run {
        git_hook::drop_leftover(&*env.fs, &item.task.path)?;
    }
    let done = match report.dry_run {
        true => write::plan(&item.task.path, edit)?,
        false => write::apply(env, &item.task.path, 0o666, edit)?,
    };
    if done.outcome != EditOutcome::Same {
        report.add(&item.task, &done);
    }
    let is_gone = done.outcome == EditOutcome::Remove || done.before.is_none();
    if is_hook && is_gone {
        let aside = git_hook::aside(&item.task.path);
        if report.dry_run && git_hook::has_earlier(&item.task.path) {
            report.rename(&item.task, &aside, &item.task.path);
        } else if !report.dry_run && git_hook::can_come_back(&item.task.path) {
            git_hook::come_back(&*env.fs, &item.task.path)?;
            report.rename(&item.task, &aside, &item.task.path);
        }
    }
    if matches!(done.outcome, EditOutcome::Keep(_)) {
        return Ok(None);
    }
    let hiding = hiding(item);
    if !report.dry_run {
        if let Some((git, line)) = &hiding {
            ignore::show(env, git, std::slice::from_ref(line))?;
        }
        install_log::forget(env, &item.task.path)?;
    }
    let top = |git: &RepoDirs| git.main_top().unwrap_or_else(|| git.common_dir.clone());
    Ok(hiding.map(|(git, line)| (top(&git), line)))
}

/// Returns the line that hides a file from git, and the repository.
fn hiding(item: &InstalledFile) -> Option<(RepoDirs, String)> {
    let entry = item.entry.as_ref()?;
    let (git, line) = (entry.layout()?, entry.ignored.clone()?);
    ignore::has(&git, &line).then_some((git, line))
}

fn edit(item: &InstalledFile) -> impl Fn(Option<&[u8]>) -> Result<EditOutcome, InstallError> + '_ {
    move |old| {
        let Some(old) = old else { return Ok(EditOutcome::Same) };
        let FileContent::Hooks(syntax, _) = item.task.file.content else {
            let is_hook = matches!(item.task.file.content, FileContent::GitHook(_));
            return Ok(match whose(old) {
                Ownership::Foreign if is_hook && git_hook::has_earlier(&item.task.path) => {
                    EditOutcome::Keep(TWO_HOOKS)
                }
                Ownership::Foreign => EditOutcome::Same,
                Ownership::Changed => EditOutcome::Keep("it was changed since Skein wrote it"),
                Ownership::Ours => EditOutcome::Remove,
            });
        };
        let left = item.entry.as_ref().filter(|entry| entry.is_as_left(old));
        if let Some(LogEntry { undo: Some(undo), .. }) = left {
            return Ok(EditOutcome::Write(undo.apply(old)));
        }
        let after = syntax
            .take(old, item.task.agent.name)
            .map_err(|source| InstallError::Settings { path: item.task.path.clone(), source })?;
        let is_created = item.entry.as_ref().is_some_and(|entry| entry.created);
        Ok(match () {
            () if is_created && syntax.is_empty(&after) => EditOutcome::Remove,
            () if after == old => EditOutcome::Same,
            () => EditOutcome::Write(after),
        })
    }
}

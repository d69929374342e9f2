//! Removes installations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skein_git::{Repo, RepoDirs};
use skein_model::advice::with_causes;
use skein_model::sanitize::shell_word;
use skein_store::{Revision, remove_empty_dir};
use skein_workspace::{Env, Workspace, discover_in, registry, trust};

use super::agent::{AGENTS, Agent, FileContent, Scope, WORKTREES};
use super::error::{InstallError, InstallResult};
use super::install_log::{self, CloneEntries, LogEntry};
use super::lookup::{agent, server_name};
use super::own_files::{Ownership, may_name_skein, owner};
use super::report::InstallReport;
use super::server_agents::SERVERS;
use super::task::{PlannedFile, all_tasks, tasks};
use super::write::{EditOutcome, EditSettings};
use super::{git_hook, ignore, moves, store, write};
use crate::setup;

/// An entry that the user wrote is removed only on request.
const FOREIGN_ENTRY: &str = "`skein install` did not write its entry for `skein mcp`; `skein uninstall AGENT --mcp` removes it";
/// The user must decide which of two hooks to keep.
const TWO_HOOKS: &str = "another program replaced Skein's hook, and the hook from before has the same name with `.skein-before`: keep what you need in the hook itself, and delete the other file";

/// A file that may contain hooks or commands of ours.
struct InstalledFile {
    task: PlannedFile,
    entry: Option<LogEntry>,
    /// Another scope that still needs the file.
    needed: Option<Scope>,
    /// Whether the user named this agent or server.
    is_named: bool,
}

/// Uninstalls Skein for one agent in this repository, or in one scope.
///
/// Without a scope, an installation for the user in every directory is kept, with a note.
pub fn uninstall(
    workspace: &Workspace,
    name: &str,
    scope: Option<Scope>,
    dry_run: bool,
) -> InstallResult<InstallReport> {
    let named = [agent(name), agent(&server_name(name))];
    let agents: Vec<&'static Agent> = named.into_iter().flatten().collect();
    if agents.is_empty() {
        return Err(InstallError::UnknownAgent { name: name.to_owned() });
    }
    let mut report = InstallReport::new(dry_run);
    moves::follow_moves(workspace)?;
    for agent in &agents {
        let is_named = agent.name == name;
        match uninstall_one(workspace, (agent, is_named), scope, &mut report) {
            // Of the two parts, one can lack a scope.
            Err(InstallError::NoScope { .. }) if agents.len() > 1 => {}
            done => done?,
        }
    }
    // The hook for later worktrees is removed with the last agent. In a dry run, this agent is still in the log.
    let is_local = scope.is_none_or(|scope| scope == Scope::Local);
    let mut left = CloneEntries::new(workspace).agents(&workspace.env);
    left.retain(|left| !is_local || !agents.iter().any(|agent| agent.name == left));
    if left.is_empty() && workspace.git.as_ref().is_some_and(|git| git.top.is_some()) {
        uninstall_one(workspace, (&WORKTREES, true), Some(Scope::Local), &mut report)?;
    }
    if scope.is_none() {
        let entries = install_log::entries(&workspace.env);
        let is_named = |entry: &LogEntry| agents.iter().any(|agent| agent.name == entry.agent);
        let is_own = |entry: &&LogEntry| is_named(entry) && entry.scope == Scope::User;
        report.notes.extend(entries.iter().find(is_own).map(|entry| {
            let file = entry.file.display();
            format!("The installation for you in every directory is kept ({file}); `skein uninstall {name} --user` removes it")
        }));
    }
    if !dry_run {
        forget_here(workspace, &mut report)?;
        moves::remove_records(workspace)?;
    }
    Ok(report)
}

/// Uninstalls Skein for an agent in all worktrees of the clone.
fn uninstall_one(
    workspace: &Workspace,
    (agent, is_named): (&'static Agent, bool),
    scope: Option<Scope>,
    report: &mut InstallReport,
) -> InstallResult {
    let env = &workspace.env;
    if let Some(scope) = scope {
        tasks(workspace, agent, scope)?;
    }
    let clone = CloneEntries::new(workspace);
    let is_in_scope = |one: Scope| scope.map_or(one != Scope::User, |scope| one == scope);
    let is_meant = |entry: &LogEntry| {
        entry.agent == agent.name
            && (entry.root.is_none() || clone.holds(entry))
            && is_in_scope(entry.scope)
    };
    let mut here = files_here(workspace, agent, scope);
    here.iter_mut().for_each(|item| item.is_named = is_named);
    here.retain(|item| {
        is_in_scope(item.entry.as_ref().map_or(item.task.scope, |entry| entry.scope))
            || item.needed.is_some()
    });
    let (left, mut items): (Vec<InstalledFile>, Vec<InstalledFile>) =
        here.into_iter().partition(|item| item.needed.is_some());
    let is_left = |entry: &LogEntry| left.iter().any(|item| item.task.path == entry.file);
    let mut entries = install_log::entries(env);
    entries.retain(|entry| is_meant(entry) && !is_left(entry));
    add_recorded(&mut items, entries);
    let dirs = remove_all(env, items, report);
    for item in &left {
        reassign(env, item, &dirs, report)?;
    }
    reassign_dirs(env, &dirs)
}

/// Adds directories that were created for a removed file to the log entry of another file of ours in them.
fn reassign_dirs(env: &Env, dirs: &[PathBuf]) -> InstallResult {
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

/// Uninstalls Skein for every agent: in all worktrees of this clone, or everywhere on this machine.
///
/// Without `everywhere`, an installation for the user in every directory is kept.
pub fn uninstall_agents(
    workspace: &Workspace,
    everywhere: bool,
    dry_run: bool,
) -> InstallResult<InstallReport> {
    let env = &workspace.env;
    let mut report = InstallReport::new(dry_run);
    let moved_from = moves::follow_moves(workspace)?;
    let agents = AGENTS.iter().chain(SERVERS).chain([&WORKTREES]);
    let mut files: Vec<InstalledFile> =
        agents.flat_map(|agent| files_here(workspace, agent, None)).collect();
    files.retain(|file| everywhere || file.task.scope != Scope::User);
    let clone = CloneEntries::new(workspace);
    let is_meant = |entry: &LogEntry| everywhere || clone.holds(entry);
    let entries = install_log::entries(env);
    let (meant, left): (Vec<LogEntry>, Vec<LogEntry>) = entries.into_iter().partition(is_meant);
    add_recorded(&mut files, meant.clone());
    remove_all(env, files, &mut report);
    let mut trusted = trust::roots(workspace);
    trusted.extend(moved_from);
    let mut others = BTreeSet::new();
    if everywhere {
        trusted = trust::accepted(env);
        others.extend(trusted.iter().cloned().chain(meant.into_iter().filter_map(|one| one.root)));
        others.remove(&workspace.top());
    }
    for root in &others {
        remove_driver(root, &mut report);
    }
    for root in trusted {
        if trust::is_recorded(env, &root) && !is_still_served(env, &left, &root, &mut report) {
            forget(env, &root, &mut report)?;
        }
    }
    let kept = left.iter().filter(|entry| entry.root.is_none());
    let kept: BTreeSet<String> = kept.map(|entry| entry.file.display().to_string()).collect();
    if !kept.is_empty() {
        let files = kept.into_iter().collect::<Vec<_>>().join(", ");
        report.notes.push(format!(
            "The installation for you in every directory is kept ({files}); `skein uninstall --everywhere` removes it"
        ));
    }
    if dry_run {
        return Ok(report);
    }
    if everywhere {
        registry::forget_all(env)?;
    } else {
        registry::forget(env, &workspace.reviews.root)?;
    }
    moves::remove_records(workspace)?;
    for root in others.iter().filter(|root| root.is_dir()) {
        moves::remove_records(&discover_in(env, root))?;
    }
    remove_empty_state(env)?;
    Ok(report)
}

/// Removes state files without entries, and the state directory if it is empty.
fn remove_empty_state(env: &Env) -> InstallResult {
    install_log::remove_if_empty(env)?;
    trust::sweep(env)?;
    registry::sweep(env);
    // A directory that is not empty is kept.
    if env.dirs.state.is_dir() {
        remove_empty_dir(&env.dirs.state).unwrap_or(false);
    }
    Ok(())
}

/// Removes the trust in this workspace, if no installation is left that could pass its threads to agents.
fn forget_here(workspace: &Workspace, report: &mut InstallReport) -> InstallResult {
    let entries = install_log::entries(&workspace.env);
    if entries.iter().any(|entry| entry.root.is_none()) {
        return Ok(());
    }
    for root in trust::roots(workspace) {
        if !is_still_served(&workspace.env, &entries, &root, report) {
            forget(&workspace.env, &root, report)?;
        }
    }
    Ok(())
}

/// Returns whether an installation is left whose workspace needs the trust in a root. One that needs it for its checkpoints is named.
fn is_still_served(env: &Env, left: &[LogEntry], root: &Path, report: &mut InstallReport) -> bool {
    let tops: BTreeSet<&PathBuf> = left.iter().filter_map(|entry| entry.root.as_ref()).collect();
    for top in tops {
        let roots = trust::roots(&discover_in(env, top));
        let Some(at) = roots.iter().position(|needed| needed == root) else { continue };
        if at > 0 {
            let (top, root) = (shell_word(&top.to_string_lossy()), root.display());
            report.notes.push(format!(
                "Hooks in {top} still pass checkpoints of {root} to agents; `skein -C {top} uninstall` ends that"
            ));
        }
        return true;
    }
    false
}

fn forget(env: &Env, root: &Path, report: &mut InstallReport) -> InstallResult {
    if report.dry_run {
        let root = root.display();
        report.notes.push(format!("Hooks would not pass threads of {root} to agents any more"));
        return Ok(());
    }
    if store::remove_unused(env, root)? {
        report.notes.push(format!("Removed the empty store of checkpoints in {}", root.display()));
    }
    if trust::forget(env, root)? {
        report
            .notes
            .push(format!("Hooks do not pass threads of {} to agents any more", root.display()));
    }
    Ok(())
}

fn remove_driver(root: &Path, report: &mut InstallReport) {
    let layout = RepoDirs::discover(root).ok().flatten();
    let Some(repo) = layout.as_ref().and_then(Repo::new) else { return };
    let verb = if report.dry_run { "Would remove" } else { "Removed" };
    match setup::drop_drivers(&repo, report.dry_run) {
        Ok(true) => report.notes.push(format!("{verb} the merge driver of {}", root.display())),
        Ok(false) => {}
        Err(error) => report.failed.push(error.to_string()),
    }
}

/// Lists the files of an agent in this worktree and in the user's home.
fn files_here(
    workspace: &Workspace,
    agent: &'static Agent,
    scope: Option<Scope>,
) -> Vec<InstalledFile> {
    let mut items: Vec<InstalledFile> = Vec::new();
    for one in agent.scopes.iter().copied().filter(|one| scope.is_none_or(|scope| scope == *one)) {
        // Without a repository or a home directory there is nothing to remove.
        for task in all_tasks(workspace, agent, one).unwrap_or_default() {
            let entry = install_log::entry(&workspace.env, agent.name, &task.path);
            let is_known = items.iter().any(|item| item.task.path == task.path);
            let needed = scope.and_then(|_| task.other_scope(workspace));
            let is_anothers =
                scope.is_some() && entry.as_ref().is_some_and(|entry| entry.scope != one);
            if is_known || (is_anothers && needed.is_none()) || task.check_links(workspace).is_err()
            {
                continue;
            }
            items.push(InstalledFile { task, entry, needed, is_named: false });
        }
    }
    items
}

/// Adds files that are only known from the log.
fn add_recorded(files: &mut Vec<InstalledFile>, entries: Vec<LogEntry>) {
    for entry in entries {
        let Some((agent, file)) = entry.agent_file() else { continue };
        let is_entry =
            |task: &PlannedFile| task.path == entry.file && task.agent.name == agent.name;
        if files.iter().any(|file| is_entry(&file.task)) {
            continue;
        }
        let task = PlannedFile { agent, scope: entry.scope, path: entry.file.clone(), file };
        files.push(InstalledFile { task, entry: Some(entry), needed: None, is_named: false });
    }
}

/// Assigns a file and its directories to the scope that still needs it, and reports that.
fn reassign(
    env: &Env,
    item: &InstalledFile,
    dirs: &[PathBuf],
    report: &mut InstallReport,
) -> InstallResult {
    let Some(scope) = item.needed else { return Ok(()) };
    let edit = |_: Option<&[u8]>| {
        Ok(EditOutcome::Keep(match scope {
            Scope::Local => "the installation for this checkout still needs it",
            Scope::Project => "the installation for the project still needs it",
            Scope::User => "your own installation still needs it",
        }))
    };
    let done = write::plan(&item.task.path, &edit)?;
    if done.before.as_deref().is_none_or(|bytes| owner(bytes) == Ownership::Foreign) {
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

/// Removes our part of all files; returns the directories that were created for them and are not empty.
fn remove_all(env: &Env, items: Vec<InstalledFile>, report: &mut InstallReport) -> Vec<PathBuf> {
    let mut dirs = BTreeSet::new();
    let mut lines: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for mut item in items {
        // The removal of another part of the same file may have changed the entry.
        let known = install_log::entry(env, item.task.agent.name, &item.task.path);
        item.entry = known.or(item.entry);
        if item.entry.is_none() && !may_name_skein(&item.task.path) {
            continue;
        }
        let created = item.entry.as_ref().map(|entry| entry.dirs.clone()).unwrap_or_default();
        match remove_from_file(env, &item, report) {
            Ok(line) => {
                dirs.extend(created);
                if let Some((root, line)) = line {
                    let lines = lines.entry(root).or_default();
                    // Worktrees of one clone share the line.
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
            }
            Err(error) => report.failed.push(with_causes(&error)),
        }
    }
    // Hooks and tools can be in the same file.
    report.failed.dedup();
    for (root, lines) in &lines {
        let (verb, root) =
            (if report.dry_run { "Would remove" } else { "Removed" }, root.display());
        let lines = lines.join(", ");
        report.notes.push(format!("{verb} from .git/info/exclude in {root}: {lines}"));
    }
    if report.dry_run {
        return Vec::new();
    }
    let mut dirs: Vec<PathBuf> = dirs.into_iter().collect();
    dirs.sort_by_key(|dir| Reverse(dir.components().count()));
    // A directory that is not empty is kept.
    dirs.retain(|dir| !remove_empty_dir(dir).unwrap_or(false));
    dirs
}

/// Removes our part of a file; returns its line in `.git/info/exclude`, and the repository.
fn remove_from_file(
    env: &Env,
    item: &InstalledFile,
    report: &mut InstallReport,
) -> InstallResult<Option<(PathBuf, String)>> {
    let edit = edit(env, item);
    let edit: EditSettings<'_> = &edit;
    let is_hook = matches!(item.task.file.content, FileContent::GitHook(_));
    if is_hook && !report.dry_run {
        git_hook::remove_leftover(&*env.fs, &item.task.path)?;
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
        let renamed = git_hook::renamed_path(&item.task.path);
        if report.dry_run && git_hook::has_renamed(&item.task.path) {
            report.rename(&item.task, &renamed, &item.task.path);
        } else if !report.dry_run && git_hook::can_restore(&item.task.path) {
            git_hook::restore(&*env.fs, &item.task.path)?;
            report.rename(&item.task, &renamed, &item.task.path);
        }
    }
    if matches!(done.outcome, EditOutcome::Keep(_)) {
        return Ok(None);
    }
    let line = exclude_line(env, item);
    if !report.dry_run {
        if let Some((git, line)) = &line {
            ignore::show(env, git, std::slice::from_ref(line))?;
        }
        let of = (item.task.agent.name, item.task.path.as_path());
        if let (Some(before), EditOutcome::Write(after)) = (&done.before, &done.outcome) {
            share_original(env, of, (before, after))?;
        }
        install_log::remove(env, of)?;
    }
    let top = |git: &RepoDirs| git.main_top().unwrap_or_else(|| git.common_dir.clone());
    Ok(line.map(|(git, line)| (top(&git), line)))
}

/// Records in the entries of other agents how the original of the file is restored, if that is known.
fn share_original(
    env: &Env,
    (agent, file): (&str, &Path),
    (before, after): (&[u8], &[u8]),
) -> InstallResult {
    let entries = install_log::entries_of(env, file);
    let Some(original) = install_log::original(&entries, before) else { return Ok(()) };
    let others: Vec<LogEntry> = entries.into_iter().filter(|other| other.agent != agent).collect();
    let undo = install_log::undo(&others, &original, after);
    let revision = Revision::from_bytes(after).to_string();
    Ok(install_log::share(env, (agent, file), (&revision, undo.as_ref()))?)
}

/// Returns the line in `.git/info/exclude` for a file that has no other local part of Skein, and the repository.
fn exclude_line(env: &Env, item: &InstalledFile) -> Option<(RepoDirs, String)> {
    let entry = item.entry.as_ref()?;
    let needs = |other: &LogEntry| other.agent != entry.agent && other.scope == Scope::Local;
    if install_log::entries_of(env, &entry.file).iter().any(needs) {
        return None;
    }
    let (git, line) = (entry.layout()?, entry.ignored.clone()?);
    ignore::has(&git, &line).then_some((git, line))
}

fn edit<'a>(
    env: &'a Env,
    item: &'a InstalledFile,
) -> impl Fn(Option<&[u8]>) -> InstallResult<EditOutcome> + 'a {
    move |old| {
        let Some(old) = old else { return Ok(EditOutcome::Same) };
        let FileContent::Settings(part) = item.task.file.content else {
            let is_hook = matches!(item.task.file.content, FileContent::GitHook(_));
            return Ok(match owner(old) {
                Ownership::Foreign if is_hook && git_hook::has_renamed(&item.task.path) => {
                    EditOutcome::Keep(TWO_HOOKS)
                }
                Ownership::Foreign => EditOutcome::Same,
                Ownership::Changed => EditOutcome::Keep("it was changed since Skein wrote it"),
                Ownership::Ours => EditOutcome::Remove,
            });
        };
        let is_foreign = item.task.agent.is_server() && item.entry.is_none() && !item.is_named;
        if is_foreign && part.has(old, item.task.agent.name) {
            return Ok(EditOutcome::Keep(FOREIGN_ENTRY));
        }
        let entries = install_log::entries_of(env, &item.task.path);
        let is_other = |entry: &&LogEntry| entry.agent != item.task.agent.name;
        let is_last = !entries.iter().filter(is_other).any(|entry| entry.is_in(old));
        let original = Some(&entries).filter(|_| is_last && item.entry.is_some());
        let after = match original.and_then(|entries| install_log::original(entries, old)) {
            Some(original) => original,
            None => part.remove(old, item.task.agent.name).map_err(|source| {
                InstallError::Settings { path: item.task.path.clone(), source }
            })?,
        };
        let is_created = item.entry.as_ref().is_some_and(|entry| entry.created);
        Ok(match () {
            () if is_created && part.is_empty(&after) => EditOutcome::Remove,
            () if after == old => EditOutcome::Same,
            () => EditOutcome::Write(after),
        })
    }
}

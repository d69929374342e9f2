//! The log of installed files, which makes it possible to undo an installation exactly.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skein_format::span::{Span, splice};
use skein_git::RepoDirs;
use skein_store::{Revision, RootDirs};
use skein_workspace::{Env, FileError, Workspace, state_file};

use super::agent::{Agent, AgentFile, FileContent, Scope, SettingsPart};
use super::lookup::{agent, is_for_all_worktrees};

/// The file name in the state directory.
const FILE: &str = "installed.json";

#[derive(Default, Deserialize, Serialize)]
struct InstallLog {
    entries: Vec<LogEntry>,
}

/// A file that an installation for an agent changed. Hooks and the MCP server of an agent can be in the same file: they have
/// an entry each, with the same revision and the same edit that restores the original.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct LogEntry {
    pub(super) agent: String,
    pub(super) scope: Scope,
    /// The root directory of the worktree; none for an installation for every directory.
    pub(super) root: Option<PathBuf>,
    /// The git directory that all worktrees of the clone share; it still exists after the worktree is removed.
    #[serde(default)]
    pub(super) common_dir: Option<PathBuf>,
    pub(super) file: PathBuf,
    /// Whether Skein created it.
    pub(super) created: bool,
    /// The directories that were created for it, the innermost last.
    pub(super) dirs: Vec<PathBuf>,
    /// The revision that Skein wrote.
    pub(super) revision: String,
    /// The edit that restores the original, if removing our parts is not enough.
    pub(super) undo: Option<ReverseEdit>,
    /// The line in `.git/info/exclude` for the file.
    pub(super) ignored: Option<String>,
}

/// An edit that restores an earlier version of a file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct ReverseEdit {
    at: usize,
    len: usize,
    text: String,
}

impl ReverseEdit {
    /// Returns the edit that turns `after` into `before`; `None` if the replaced text is not UTF-8.
    pub(super) fn between(before: &[u8], after: &[u8]) -> Option<Self> {
        let same = |(a, b): &(&u8, &u8)| a == b;
        let start = before.iter().zip(after).take_while(same).count();
        let rest = before.len().min(after.len()) - start;
        let ends = before.iter().rev().zip(after.iter().rev());
        let end = ends.take(rest).take_while(same).count();
        let text = before.get(start..before.len() - end)?.to_vec();
        Some(Self {
            at: start,
            len: after.len() - end - start,
            text: String::from_utf8(text).ok()?,
        })
    }

    pub(super) fn apply(&self, after: &[u8]) -> Vec<u8> {
        let mut bytes = after.to_vec();
        splice(&mut bytes, Span::new(self.at, self.at + self.len), self.text.as_bytes());
        bytes
    }
}

impl LogEntry {
    pub(super) fn new(agent: &str, file: &Path) -> Self {
        Self {
            agent: agent.to_owned(),
            scope: Scope::Local,
            root: None,
            common_dir: None,
            file: file.to_owned(),
            created: false,
            dirs: Vec::new(),
            revision: String::new(),
            undo: None,
            ignored: None,
        }
    }

    /// Returns the repository of the file; if the worktree was removed, that of the clone.
    pub(super) fn layout(&self) -> Option<RepoDirs> {
        let there = RepoDirs::discover(self.root.as_ref()?).ok().flatten();
        there.or_else(|| {
            let git_dir = self.common_dir.clone().filter(|dir| dir.is_dir())?;
            Some(RepoDirs { top: None, common_dir: git_dir.clone(), git_dir })
        })
    }

    fn is_below(&self, dir: &Path) -> bool {
        let paths = self.root.iter().chain(&self.common_dir).chain([&self.file]);
        paths.into_iter().any(|path| path.starts_with(dir))
    }

    fn relocated(mut self, old: &Path, new: &Path) -> Self {
        let paths = self.root.iter_mut().chain(&mut self.common_dir).chain([&mut self.file]);
        for path in paths.chain(&mut self.dirs) {
            if let Ok(rest) = path.strip_prefix(old) {
                // Joining an empty path would add a slash.
                *path = if rest == Path::new("") { new.to_owned() } else { new.join(rest) };
            }
        }
        self
    }

    fn is_same(&self, other: &Self) -> bool {
        self.agent == other.agent && self.file == other.file
    }

    pub(super) fn add_dirs(&mut self, dirs: &[PathBuf]) {
        for dir in dirs {
            if !self.dirs.contains(dir) {
                self.dirs.push(dir.clone());
            }
        }
    }

    /// Returns our part of a settings file.
    pub(super) fn part(&self) -> Option<SettingsPart> {
        match self.agent_file()?.1.content {
            FileContent::Settings(part) => Some(part),
            _ => None,
        }
    }

    /// Returns the agent, and the description of the file.
    pub(super) fn agent_file(&self) -> Option<(&'static Agent, AgentFile)> {
        let agent = agent(&self.agent)?;
        let known = agent.files().filter(|file| self.file.ends_with(&*file.path));
        Some((agent, known.max_by_key(|file| file.path.len())?))
    }

    /// Returns whether a settings file has the part.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        self.part().is_some_and(|part| part.has(bytes, &self.agent))
    }

    /// Returns whether the file is unchanged since Skein wrote it.
    pub(super) fn is_as_left(&self, bytes: &[u8]) -> bool {
        Revision::from_bytes(bytes).to_string() == self.revision
    }
}

/// Selects the entries of the worktrees of a clone.
pub(super) struct CloneEntries {
    tops: Vec<PathBuf>,
    common_dir: Option<PathBuf>,
}

impl CloneEntries {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let common_dir = workspace.git.as_ref().map(|git| git.common_dir.clone());
        Self { tops: tops(workspace), common_dir }
    }

    /// Returns whether an entry belongs to the clone, also if its worktree was removed.
    pub(super) fn holds(&self, entry: &LogEntry) -> bool {
        let is_top = entry.root.as_ref().is_some_and(|root| self.tops.contains(root));
        is_top || (entry.common_dir.is_some() && entry.common_dir == self.common_dir)
    }

    /// Returns the agents that have an installation for these worktrees.
    pub(super) fn agents(&self, env: &Env) -> BTreeSet<String> {
        let entries = entries(env).into_iter().filter(|entry| self.holds(entry));
        let local = entries.filter(|entry| entry.scope == Scope::Local);
        local.map(|entry| entry.agent).filter(|name| is_for_all_worktrees(name)).collect()
    }
}

/// Returns the root directories of all worktrees of the clone, this one first. Without a repository, returns only this one.
pub(super) fn tops(workspace: &Workspace) -> Vec<PathBuf> {
    let here = workspace.top();
    let worktrees = workspace.git.as_ref().map(|git| git.worktrees()).unwrap_or_default();
    let others = worktrees.into_iter().map(|worktree| worktree.top).filter(|top| *top != here);
    std::iter::once(here.clone()).chain(others).collect()
}

pub(super) fn entries(env: &Env) -> Vec<LogEntry> {
    state_file::read::<InstallLog>(&dirs(env), FILE).unwrap_or_default().entries
}

pub(super) fn entry(env: &Env, agent: &str, file: &Path) -> Option<LogEntry> {
    entries(env).into_iter().find(|entry| entry.agent == agent && entry.file == file)
}

/// Returns the entries of all agents for a file, in the order in which they were recorded.
pub(super) fn entries_of(env: &Env, file: &Path) -> Vec<LogEntry> {
    entries(env).into_iter().filter(|entry| entry.file == file).collect()
}

/// Adds an entry, or replaces the entry of the same agent and file.
pub(super) fn record(env: &Env, entry: &LogEntry) -> Result<(), FileError> {
    state_file::update(env, &dirs(env), FILE, &|known: Option<InstallLog>| {
        let mut log = known.unwrap_or_default();
        if log.entries.contains(entry) {
            return None;
        }
        log.entries.retain(|other| !other.is_same(entry));
        log.entries.push(entry.clone());
        Some(log)
    })
}

/// Returns whether something is installed in a worktree.
pub(super) fn is_installed_in(env: &Env, top: &Path) -> bool {
    entries(env).iter().any(|entry| entry.root.as_deref() == Some(top))
}

/// Updates the entries below a directory that was moved.
pub(crate) fn relocate(env: &Env, old: &Path, new: &Path) -> Result<(), FileError> {
    if !entries(env).iter().any(|entry| entry.is_below(old)) {
        return Ok(());
    }
    state_file::update(env, &dirs(env), FILE, &|known: Option<InstallLog>| {
        let (moved, mut entries): (Vec<LogEntry>, Vec<LogEntry>) =
            known.unwrap_or_default().entries.into_iter().partition(|entry| entry.is_below(old));
        for entry in moved {
            let entry = entry.relocated(old, new);
            // A file that was installed again at the new path already has an entry.
            if !entries.iter().any(|other| other.is_same(&entry)) {
                entries.push(entry);
            }
        }
        Some(InstallLog { entries })
    })
}

/// Returns a settings file without the parts of these entries.
pub(super) fn without(entries: &[LogEntry], bytes: &[u8]) -> Option<Vec<u8>> {
    entries
        .iter()
        .try_fold(bytes.to_vec(), |bytes, entry| entry.part()?.remove(&bytes, &entry.agent).ok())
}

/// Returns a settings file before the first change by Skein, if it is unchanged since the last one.
pub(super) fn original(entries: &[LogEntry], bytes: &[u8]) -> Option<Vec<u8>> {
    match &entries.iter().find(|entry| entry.is_as_left(bytes))?.undo {
        Some(undo) => Some(undo.apply(bytes)),
        None => without(entries, bytes),
    }
}

/// Returns the edit that restores the original, if removing the parts of these entries is not enough.
///
/// It usually is, so that no text of the user needs to be recorded.
pub(super) fn undo(entries: &[LogEntry], original: &[u8], after: &[u8]) -> Option<ReverseEdit> {
    if without(entries, after)? == original { None } else { ReverseEdit::between(original, after) }
}

/// Records what Skein wrote for one agent in the other entries of the file.
pub(super) fn share(
    env: &Env,
    (agent, file): (&str, &Path),
    (revision, undo): (&str, Option<&ReverseEdit>),
) -> Result<(), FileError> {
    for mut other in entries_of(env, file).into_iter().filter(|other| other.agent != agent) {
        revision.clone_into(&mut other.revision);
        other.undo = undo.cloned();
        record(env, &other)?;
    }
    Ok(())
}

/// Removes an entry. Another entry of the same file takes over what is needed to remove the file itself.
pub(super) fn remove(env: &Env, (agent, file): (&str, &Path)) -> Result<(), FileError> {
    let Some(removed) = entry(env, agent, file) else { return Ok(()) };
    state_file::update(env, &dirs(env), FILE, &|known: Option<InstallLog>| {
        let mut log = known.unwrap_or_default();
        log.entries.retain(|other| !other.is_same(&removed));
        if let Some(other) = log.entries.iter_mut().find(|other| other.file == file) {
            other.created |= removed.created;
            other.add_dirs(&removed.dirs);
            if other.scope == Scope::Local {
                other.ignored = other.ignored.take().or_else(|| removed.ignored.clone());
            }
        }
        Some(log)
    })
}

/// Removes the log if it is empty.
pub(super) fn remove_if_empty(env: &Env) -> Result<(), FileError> {
    state_file::remove_if_empty(env, &dirs(env), FILE, |log: &InstallLog| log.entries.is_empty())
}

fn dirs(env: &Env) -> RootDirs {
    RootDirs { state: env.dirs.user_state().to_owned(), cache: env.dirs.cache.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reverse_edit_restores_the_original() {
        let texts = ["", "a", "{\n}\n", "{\n  \"hooks\": 1\n}\n", "aaa", "aaaa", "xay"];
        for before in texts {
            for after in texts {
                let undo = ReverseEdit::between(before.as_bytes(), after.as_bytes()).unwrap();
                assert_eq!(undo.apply(after.as_bytes()), before.as_bytes());
            }
        }
    }
}

//! The log of installed files, which makes it possible to undo an installation exactly.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skein_format::span::{Span, splice};
use skein_git::RepoDirs;
use skein_store::{Revision, RootDirs};
use skein_workspace::{Env, FileError, Workspace, state_file};

use super::agent::{Scope, is_for_all_worktrees};

/// The file name in the state directory.
const FILE: &str = "installed.json";

#[derive(Default, Deserialize, Serialize)]
struct InstallLog {
    entries: Vec<LogEntry>,
}

/// A file that an installation changed.
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
    /// The edit that restores the original, if removing our part is not enough.
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

pub(super) fn entry(env: &Env, file: &Path) -> Option<LogEntry> {
    entries(env).into_iter().find(|entry| entry.file == file)
}

/// Adds an entry, or replaces the entry of the same file.
pub(super) fn record(env: &Env, entry: &LogEntry) -> Result<(), FileError> {
    state_file::update(env, &dirs(env), FILE, &|known: Option<InstallLog>| {
        let mut log = known.unwrap_or_default();
        if log.entries.contains(entry) {
            return None;
        }
        log.entries.retain(|other| other.file != entry.file);
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
            if !entries.iter().any(|other| other.file == entry.file) {
                entries.push(entry);
            }
        }
        Some(InstallLog { entries })
    })
}

/// Removes the entry of a file.
pub(super) fn remove(env: &Env, file: &Path) -> Result<(), FileError> {
    if entry(env, file).is_none() {
        return Ok(());
    }
    state_file::update(env, &dirs(env), FILE, &|known: Option<InstallLog>| {
        let mut log = known.unwrap_or_default();
        log.entries.retain(|other| other.file != file);
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

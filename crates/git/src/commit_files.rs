//! The commits between two commits, with the files that each changed.

use std::collections::HashMap;

use crate::changed::{ChangedFile, parse};
use crate::command::GitArg;
use crate::diff::PLAIN;
use crate::object_id::CommitId;
use crate::pathspec::Pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, feed, split};

/// A commit, and the files that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitFiles {
    /// The commit.
    pub commit: CommitId,
    /// The files that differ from the previous commit.
    pub changed: Vec<ChangedFile>,
}

impl Repo {
    /// Returns the commits from the child of `base` to `head`, each a child of the previous one.
    ///
    /// Where history forks, the first parent that descends from `base` is taken. `None` when `head` does not descend
    /// from `base`, and when there are more than `limit` commits in between.
    pub fn changes_between(
        &self,
        base: &CommitId,
        head: &CommitId,
        limit: usize,
    ) -> Result<Option<Vec<CommitFiles>>, RunError> {
        if base == head {
            return Ok(Some(Vec::new()));
        }
        let mut command = self.git();
        command.args(["rev-list", "--parents", "--ancestry-path"]);
        // Bounds the time to walk the history.
        let max_count = limit.saturating_mul(4).to_string();
        command.arg(GitArg::option("--max-count", max_count));
        command.arg(GitArg::range(base, &head.into())).paths(Pathspecs::ALL);
        let stdout = String::from_utf8_lossy(&self.finish(command)?).into_owned();
        let Some(line) = path_between(&stdout, base, head, limit) else { return Ok(None) };
        let parents = [base.as_str()].into_iter().chain(line.iter().copied());
        let pairs: String = line
            .iter()
            .zip(parents)
            .map(|(commit, parent)| format!("{commit} {parent}\n"))
            .collect();
        let mut command = self.git();
        command.args(["diff-tree", "--stdin", "-r", "-z", "--name-status", "--root"]).args(PLAIN);
        Ok(Some(read(&feed(command, self.top(), pairs.as_bytes())?)))
    }
}

/// Returns the path from `base` to `head` in the output of `git rev-list --parents`.
fn path_between<'a>(
    list: &'a str,
    base: &CommitId,
    head: &CommitId,
    limit: usize,
) -> Option<Vec<&'a str>> {
    let parents: HashMap<&str, Vec<&str>> = list
        .lines()
        .filter_map(|line| {
            let mut ids = line.split_whitespace();
            Some((ids.next()?, ids.collect()))
        })
        .collect();
    let mut line = Vec::new();
    let (mut at, _) = parents.get_key_value(head.as_str())?;
    loop {
        line.push(*at);
        if line.len() > limit {
            return None;
        }
        let next = parents
            .get(at)?
            .iter()
            .find(|parent| **parent == base.as_str() || parents.contains_key(**parent))?;
        if *next == base.as_str() {
            line.reverse();
            return Some(line);
        }
        at = parents.get_key_value(*next)?.0;
    }
}

/// Parses the output of `git diff-tree --stdin -z`: each commit, and the files that it changed.
fn read(stdout: &[u8]) -> Vec<CommitFiles> {
    let mut steps = Vec::new();
    let mut parts = split(stdout).peekable();
    while let Some(part) = parts.next() {
        let commit = str::from_utf8(part).ok().and_then(CommitId::parse);
        steps.extend(commit.map(|commit| CommitFiles { commit, changed: parse(&mut parts) }));
    }
    steps
}

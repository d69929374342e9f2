//! The commits of a history, and the files that they changed.

use std::collections::HashSet;

use crate::command::GitArg;
use crate::diff::PLAIN;
use crate::object_id::CommitId;
use crate::pathspec::{Pathspecs, pathspecs};
use crate::repo::Repo;
use crate::run::{RunError, line, split, text};

/// The maximum number of bytes of a commit's path list that are read.
const MAX_LIST_LEN: usize = 256 * 1024;

/// A commit with its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    /// The commit.
    pub id: CommitId,
    /// The first paragraph of its message, on one line; bytes that are not UTF-8 are replaced.
    pub subject: String,
}

/// The subject and the changed files of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSummary {
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The paths that differ from its first parent, sorted.
    ///
    /// In paths, bytes that are not UTF-8 are replaced.
    pub files: Vec<String>,
}

/// How a tip, by default `HEAD`, relates to a base commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistorySince {
    /// The number of commits of the tip that are not in the base.
    pub ahead: usize,
    /// The number of commits of the base that are not in the tip; not 0 if history was rewritten or
    /// another branch is checked out.
    pub behind: usize,
    /// The latest of the commits that are not in the base, most recent first.
    pub commits: Vec<CommitRecord>,
}

impl Repo {
    /// Returns at most `limit` commits of `HEAD` that are not in `base`, most recent first.
    pub fn commits_since(
        &self,
        base: &CommitId,
        limit: usize,
    ) -> Result<Vec<CommitRecord>, RunError> {
        self.commits_until(base, &"HEAD".into(), limit)
    }

    /// Returns at most `limit` commits of `tip` that are not in `base`, most recent first.
    fn commits_until(
        &self,
        base: &CommitId,
        tip: &GitArg,
        limit: usize,
    ) -> Result<Vec<CommitRecord>, RunError> {
        let format = ["-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H %s"];
        let mut command = self.git_with(["log"]);
        command.args(format).arg(GitArg::option("--max-count", limit.to_string()));
        command.arg(GitArg::range(base, tip)).paths(Pathspecs::ALL);
        let stdout = self.finish(command)?;
        let parse = |line: &[u8]| {
            let line = text(line);
            let (id, subject) = line.split_once(' ')?;
            Some(CommitRecord { id: CommitId::parse(id)?, subject: subject.to_owned() })
        };
        Ok(split(&stdout).filter_map(parse).collect())
    }

    /// Returns the parent of the commit that last deleted a file in the history of `tip`.
    ///
    /// The path is relative to the top of the worktree. `None` if no commit other than a merge
    /// deleted the file.
    pub fn last_commit_with(
        &self,
        tip: &CommitId,
        path: &str,
    ) -> Result<Option<CommitId>, RunError> {
        let mut command = self.git();
        command
            .args(["log", "--no-show-signature", "--no-renames", "--diff-filter=D"])
            .args(["--max-count=1", "--format=%P"])
            .arg(tip)
            .paths(pathspecs(&[path.to_owned()], &[]));
        Ok(CommitId::parse(&line(&self.finish(command)?)))
    }

    /// Returns how `HEAD` relates to `base`, with at most `limit` commits.
    pub fn history_since(&self, base: &CommitId, limit: usize) -> Result<HistorySince, RunError> {
        self.history(base, &"HEAD".into(), limit)
    }

    /// Returns how `tip` relates to `base`, with at most `limit` commits.
    pub fn history_until(
        &self,
        base: &CommitId,
        tip: &CommitId,
        limit: usize,
    ) -> Result<HistorySince, RunError> {
        self.history(base, &tip.into(), limit)
    }

    fn history(
        &self,
        base: &CommitId,
        tip: &GitArg,
        limit: usize,
    ) -> Result<HistorySince, RunError> {
        let mut command = self.git_with(["rev-list", "--left-right", "--count"]);
        command.arg(GitArg::difference(base, tip)).paths(Pathspecs::ALL);
        let args = command.shown_args();
        let stdout = line(&self.finish(command)?);
        let counts = stdout.split_once('\t');
        let counts = counts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let Some((behind, ahead)) = counts else {
            return Err(RunError::Output { args, stdout });
        };
        let commits = match ahead {
            0 => Vec::new(),
            _ => self.commits_until(base, tip, limit)?,
        };
        Ok(HistorySince { ahead, behind, commits })
    }

    /// Returns the files on disk that differ from a commit, as paths from the top of the worktree.
    ///
    /// Untracked files are not included.
    pub fn changed_since(&self, old: &CommitId) -> Result<HashSet<String>, RunError> {
        Ok(self.changed_files(old, &[])?.into_iter().collect())
    }

    /// Returns the subject of a commit and the files that differ from its first parent.
    ///
    /// The list of files is cut if it is very long.
    pub fn commit_summary(&self, id: &CommitId) -> Result<CommitSummary, RunError> {
        let mut command = self.git();
        command
            .args(["-c", "log.showRoot=true", "log", "-1", "-z", "--no-show-signature"])
            .args(["--encoding=UTF-8", "--format=%s", "--diff-merges=first-parent", "--name-only"])
            .args(["--no-renames", "--no-relative", "--no-ext-diff"])
            .arg(id)
            .paths(Pathspecs::ALL);
        let mut stdout = self.first(command, MAX_LIST_LEN)?;
        if stdout.len() == MAX_LIST_LEN {
            // The last path may be incomplete.
            let end = stdout.iter().rposition(|&byte| byte == 0);
            stdout.truncate(end.unwrap_or(stdout.len()));
        }
        let mut parts = stdout.split(|&byte| byte == 0);
        let subject = parts.next().map(text).unwrap_or_default();
        let files = parts.map(<[u8]>::trim_ascii_start).filter(|path| !path.is_empty());
        Ok(CommitSummary { subject, files: files.map(text).collect() })
    }

    /// Returns the paths in the worktree that differ from a commit, untracked ones included,
    /// sorted.
    ///
    /// Paths at or below one of `exclude` are left out. Bytes that are not UTF-8 are replaced.
    pub fn touched_since(
        &self,
        base: &CommitId,
        exclude: &[String],
    ) -> Result<Vec<String>, RunError> {
        let mut paths = self.changed_files(base, exclude)?;
        paths.extend(self.untracked(&[], exclude)?.iter().map(|path| text(path)));
        paths.extend(self.changed_submodules()?);
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Returns the tracked files on disk that differ from a commit.
    pub(crate) fn changed_files(
        &self,
        base: &CommitId,
        exclude: &[String],
    ) -> Result<Vec<String>, RunError> {
        let mut command = self.git_on_files()?;
        command.args(["diff", "--name-only", "-z"]).args(PLAIN).arg("--no-renames").arg(base);
        // Git compares every file of the repository with every pathspec.
        let is_limited = !exclude.is_empty();
        command.paths(if is_limited { pathspecs(&[], exclude) } else { Pathspecs::ALL });
        Ok(split(&self.finish(command)?).map(text).collect())
    }
}

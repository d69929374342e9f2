//! The commits that were made, and what they touched.

use std::collections::HashSet;

use crate::diff::PLAIN;
use crate::object_id::CommitId;
use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, finish, line, split, text};

/// How many bytes of the paths of a commit are read.
const MAX_LIST_LEN: usize = 256 * 1024;

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    /// The commit.
    pub id: CommitId,
    /// The first paragraph of its message, on one line; bytes that are not UTF-8 are replaced.
    pub subject: String,
}

/// What a commit is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSummary {
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The paths that differ from its first parent, by name.
    ///
    /// In paths, bytes that are not UTF-8 are replaced.
    pub files: Vec<String>,
}

/// How what is checked out relates to a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistorySince {
    /// How many commits it has that the commit does not.
    pub ahead: usize,
    /// How many it lacks; not 0 where history was rewritten, or another branch is checked out.
    pub behind: usize,
    /// The last commits of those that it has, the latest first.
    pub commits: Vec<CommitRecord>,
}

impl Repo {
    /// Returns the commits that are checked out and not part of `base`, the last one first, `limit` at most.
    pub fn commits_since(
        &self,
        base: &CommitId,
        limit: usize,
    ) -> Result<Vec<CommitRecord>, RunError> {
        self.commits_until(base, "HEAD", limit)
    }

    /// Returns the commits of a tip that are not part of `base`, the last one first, `limit` at most.
    pub(crate) fn commits_until(
        &self,
        base: &CommitId,
        tip: &str,
        limit: usize,
    ) -> Result<Vec<CommitRecord>, RunError> {
        let (limit, range) = (format!("--max-count={limit}"), format!("{base}..{tip}"));
        let format = ["-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H %s"];
        let args = [&["log"], &format[..], &[&limit, "--end-of-options", &range, "--"]].concat();
        let stdout = self.output(&args, &[])?;
        let parse = |line: &[u8]| {
            let line = text(line);
            let (id, subject) = line.split_once(' ')?;
            Some(CommitRecord { id: CommitId::parse(id)?, subject: subject.to_owned() })
        };
        Ok(split(&stdout).filter_map(parse).collect())
    }

    /// Returns the last commit in the history of `tip` that has a file which `tip` does not have.
    ///
    /// The path counts from the top of the worktree. `None` where no commit that is no merge deleted the file.
    pub fn last_commit_with(
        &self,
        tip: &CommitId,
        path: &str,
    ) -> Result<Option<CommitId>, RunError> {
        let mut command = self.git();
        command
            .args(["log", "--no-show-signature", "--no-renames", "--diff-filter=D"])
            .args(["--max-count=1", "--format=%P", "--end-of-options", tip.as_str(), "--"])
            .args(pathspecs(&[path.to_owned()], &[]));
        Ok(CommitId::parse(&line(&self.finish(command)?)))
    }

    /// Returns what happened since a commit, with at most `limit` commits.
    pub fn history_since(&self, base: &CommitId, limit: usize) -> Result<HistorySince, RunError> {
        self.history(base, "HEAD", limit)
    }

    /// Returns how another commit than the one checked out relates to `base`, with at most `limit` commits.
    pub fn history_until(
        &self,
        base: &CommitId,
        tip: &CommitId,
        limit: usize,
    ) -> Result<HistorySince, RunError> {
        self.history(base, tip.as_str(), limit)
    }

    fn history(&self, base: &CommitId, tip: &str, limit: usize) -> Result<HistorySince, RunError> {
        let args = ["rev-list", "--left-right", "--count", &format!("{base}...{tip}"), "--"];
        let stdout = line(&self.output(&args, &[])?);
        let counts = stdout.split_once('\t');
        let counts = counts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let Some((behind, ahead)) = counts else {
            return Err(RunError::Output { args: args.join(" "), stdout });
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

    /// Returns what a commit is about, with one process; of a merge what differs from its first parent.
    ///
    /// Of very many files only the first are named, and none where git cannot say them in time.
    pub fn commit_summary(&self, id: &CommitId) -> Result<CommitSummary, RunError> {
        let log = |options: &[&str]| {
            let mut command = self.git();
            command
                .args(["-c", "log.showRoot=true", "log", "-1", "-z", "--no-show-signature"])
                .args(["--encoding=UTF-8", "--format=%s"])
                .args(options)
                .args(["--end-of-options", id.as_str(), "--"]);
            command
        };
        let named = log(&[
            "--diff-merges=first-parent",
            "--name-only",
            "--no-renames",
            "--no-relative",
            "--no-ext-diff",
        ]);
        let mut stdout = match self.first(named, MAX_LIST_LEN) {
            // Its subject is there without a look at any file.
            Err(RunError::Late { .. }) => finish(log(&["--no-patch"]), self.top())?,
            done => done?,
        };
        if stdout.len() == MAX_LIST_LEN {
            // The last path may be half of one.
            let end = stdout.iter().rposition(|&byte| byte == 0);
            stdout.truncate(end.unwrap_or(stdout.len()));
        }
        let mut parts = stdout.split(|&byte| byte == 0);
        let subject = parts.next().map(text).unwrap_or_default();
        let files = parts.map(<[u8]>::trim_ascii_start).filter(|path| !path.is_empty());
        Ok(CommitSummary { subject, files: files.map(text).collect() })
    }

    /// Returns the paths in the worktree that differ from a commit, untracked ones included, by name.
    ///
    /// What lies at or below one of `exclude` is left out. Bytes that are not UTF-8 are replaced.
    pub fn touched_since(
        &self,
        base: &CommitId,
        exclude: &[String],
    ) -> Result<Vec<String>, RunError> {
        let mut paths = self.changed_files(base, exclude)?;
        paths.extend(self.untracked(&[], exclude)?.iter().map(|path| text(path)));
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
        command.args(["diff", "--name-only", "-z"]).args(PLAIN).args([
            "--no-renames",
            "--end-of-options",
            base.as_str(),
            "--",
        ]);
        if !exclude.is_empty() {
            // git compares every file of the repository with every pathspec.
            command.args(pathspecs(&[], exclude));
        }
        Ok(split(&self.finish(command)?).map(text).collect())
    }
}

//! What happened since a commit.

use std::collections::HashSet;

use crate::commit_id::CommitId;
use crate::history::CommitRecord;
use crate::repo::Repo;
use crate::run::{RunError, line, shown_args};

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
    /// Returns what happened since a commit, with at most `limit` commits.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or nothing is checked out.
    pub fn history_since(&self, base: &CommitId, limit: usize) -> Result<HistorySince, RunError> {
        self.history(base, "HEAD", limit)
    }

    /// Returns how another commit than the one checked out relates to `base`, with at most `limit` commits.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or one of the commits is not there.
    pub fn history_until(
        &self,
        base: &CommitId,
        tip: &CommitId,
        limit: usize,
    ) -> Result<HistorySince, RunError> {
        self.history(base, tip.as_str(), limit)
    }

    fn history(&self, base: &CommitId, tip: &str, limit: usize) -> Result<HistorySince, RunError> {
        let mut command = self.git();
        command.args(["rev-list", "--left-right", "--count", &format!("{base}...{tip}"), "--"]);
        let args = shown_args(&command);
        let stdout = line(&self.finish(command)?);
        let counts = || {
            let (behind, ahead) = stdout.split_once('\t')?;
            Some((behind.parse().ok()?, ahead.parse().ok()?))
        };
        let Some((behind, ahead)) = counts() else {
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
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the commit is not there.
    pub fn changed_since(&self, old: &CommitId) -> Result<HashSet<String>, RunError> {
        Ok(self.changed_files(old, &[])?.into_iter().collect())
    }
}

//! What happened since a commit.

use std::collections::HashSet;

use crate::commit_id::CommitId;
use crate::diff::PLAIN;
use crate::history::CommitRecord;
use crate::repo::Repo;
use crate::run::{RunError, line, shown_args};
use crate::side::{DiffSide, compare};

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
    /// A file that git does not know differs from no commit. The command takes no pathspecs, because git compares every
    /// file of the repository with every pathspec.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the commit is not there.
    pub fn changed_since(&self, old: &CommitId) -> Result<HashSet<String>, RunError> {
        let mut command = self.git_on_files()?;
        command.args(["diff", "--name-only", "-z"]).args(PLAIN).arg("--no-renames");
        compare(&mut command, &DiffSide::Commit(old.clone()), &DiffSide::Worktree);
        command.arg("--");
        let stdout = self.finish(command)?;
        let found = stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        Ok(found.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }
}

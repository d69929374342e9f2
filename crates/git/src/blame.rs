//! The commits that lines of a file come from.

use std::ops::RangeInclusive;

use crate::command::GitArg;
use crate::object_id::CommitId;
use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, line};

impl Repo {
    /// Returns the commits that last changed lines of a file in the worktree, without duplicates;
    /// `None` is one of them if a line is not committed.
    ///
    /// The path is relative to the top of the worktree, and lines are counted from 0. Commits that
    /// the user's settings skip, such as those of a formatter, are skipped. An error if the file is
    /// not in `HEAD`, or has fewer lines.
    pub fn blame(
        &self,
        path: &str,
        lines: RangeInclusive<u32>,
    ) -> Result<Vec<Option<CommitId>>, RunError> {
        let (start, end) = (lines.start().saturating_add(1), lines.end().saturating_add(1));
        let mut command = self.git_on_files()?;
        command.args(["blame", "--no-textconv", "--incremental"]);
        command.arg(GitArg::lines(start, end)).file(path);
        let output = self.finish(command)?;
        let mut commits = Vec::new();
        for group in output.split(|&byte| byte == b'\n') {
            let Some(id) = commit_of(group) else { continue };
            // A line that is not committed has an id of zeros only.
            let commit = (!id.as_str().bytes().all(|digit| digit == b'0')).then_some(id);
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
        Ok(commits)
    }

    /// Returns whether a commit is the other one, or in its history.
    pub fn is_in_history(&self, commit: &CommitId, of: &CommitId) -> Result<bool, RunError> {
        let mut command = self.git_with(["merge-base", "--is-ancestor"]);
        command.arg(commit).arg(of);
        Ok(self.answer(command)?.is_some())
    }

    /// Returns the last commit of `HEAD` that changed a file, and its time in seconds since 1970.
    pub fn last_change(&self, path: &str) -> Result<Option<(CommitId, i64)>, RunError> {
        let args = ["log", "--no-show-signature", "--max-count=1", "--format=%H %ct", "HEAD"];
        let mut command = self.git_with(args);
        command.paths(pathspecs(&[path.to_owned()], &[]));
        let found = line(&self.finish(command)?);
        let found = found.split_once(' ');
        Ok(found.and_then(|(id, time)| Some((CommitId::parse(id)?, time.parse().ok()?))))
    }
}

/// Returns the id of a line that begins a group: a commit, two line numbers and a count.
fn commit_of(line: &[u8]) -> Option<CommitId> {
    let mut words = str::from_utf8(line).ok()?.split(' ');
    let id = CommitId::parse(words.next()?)?;
    let are_numbers = words.clone().count() == 3 && words.all(|word| word.parse::<u32>().is_ok());
    are_numbers.then_some(id)
}

//! What differs from the commit that is checked out.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, split, text};

impl Repo {
    /// Returns whether the index or the worktree differs from what is checked out.
    ///
    /// Untracked files count, ignored ones do not, nor does what lies at or below one of `exclude`.
    /// Of a submodule only the commit counts.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn is_dirty(&self, exclude: &[String]) -> Result<bool, RunError> {
        Ok(!self.status("normal", exclude)?.is_empty())
    }

    /// Returns the same as [`Repo::is_dirty`]; `None` if git needs longer than `limit`.
    #[must_use]
    pub fn is_dirty_within(&self, limit: Duration, exclude: &[String]) -> Option<bool> {
        let repo = self.clone().until(Instant::now() + limit);
        let command = repo.status_command("normal", exclude).ok()?;
        // One byte is enough to know that there is a path.
        repo.first(command, 1).ok().map(|printed| !printed.is_empty())
    }

    /// Returns the paths that make [`Repo::is_dirty`] say yes, by name.
    ///
    /// Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn status_paths(&self, exclude: &[String]) -> Result<Vec<String>, RunError> {
        let stdout = self.status("all", exclude)?;
        let paths = split(&stdout).filter_map(|entry| entry.get(3..)).map(text);
        let mut paths: Vec<_> = paths.collect();
        paths.sort();
        Ok(paths)
    }

    /// Returns whether git passes `path` over because a rule says so.
    ///
    /// A tracked file is never ignored.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the path lies behind a symbolic link.
    pub fn is_ignored(&self, path: &str) -> Result<bool, RunError> {
        let mut command = self.git();
        // The path is not a pattern here, but could begin like one.
        command.args(["check-ignore", "--quiet", "--", &format!(":(top){path}")]);
        Ok(self.answer(command)?.is_some())
    }

    /// Returns whether the index has a file at or below `path`.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn is_tracked(&self, path: &str) -> Result<bool, RunError> {
        let mut command = self.git();
        command.args(["ls-files", "-z", "--"]).args(pathspecs(&[path.to_owned()], &[]));
        Ok(!self.finish(command)?.is_empty())
    }

    /// Returns the files of the index that are left out of the worktree on purpose, as in a sparse checkout.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn not_checked_out(&self) -> Result<BTreeSet<String>, RunError> {
        let mut command = self.git();
        command.args(["ls-files", "-t", "-z", "--"]).args(pathspecs(&[], &[]));
        let listed = self.finish(command)?;
        let skipped = split(&listed).filter_map(|line| line.strip_prefix(b"S "));
        Ok(skipped.map(text).collect())
    }

    fn status(&self, untracked: &str, exclude: &[String]) -> Result<Vec<u8>, RunError> {
        self.finish(self.status_command(untracked, exclude)?)
    }

    /// Returns the command that prints the paths that differ.
    fn status_command(&self, untracked: &str, exclude: &[String]) -> Result<Command, RunError> {
        let mut command = self.git_on_files()?;
        command
            .args(["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"])
            .arg(format!("--untracked-files={untracked}"))
            .arg("--")
            .args(pathspecs(&[], exclude));
        Ok(command)
    }
}

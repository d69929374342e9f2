//! Runs git in a repository with a worktree.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::command::{GitArg, GitCommand, guarded_command};
use crate::quoted::quote_path;
use crate::repo_dirs::RepoDirs;
use crate::run::{RunError, answer, finish, run_limited};

/// A repository as seen from one of its worktrees.
///
/// Its methods run git and treat the repository as untrusted: neither its hooks nor the programs in
/// its configuration are run, and nothing is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    top: PathBuf,
    dirs: RepoDirs,
    until: Option<Instant>,
}

impl Repo {
    /// Returns the repository of `layout`; `None` if it has no worktree.
    pub fn new(layout: &RepoDirs) -> Option<Self> {
        Some(Self { top: layout.top.clone()?, dirs: layout.clone(), until: None })
    }

    /// Sets the deadline after which calls fail with [`RunError::Late`].
    ///
    /// Git is killed then. Commands that read from their standard input have no deadline.
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.until
    }

    /// Returns the top of the worktree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.dirs.git_dir
    }

    pub fn common_dir(&self) -> &Path {
        &self.dirs.common_dir
    }

    /// Returns the directory of [`crate::Submissions`]; it may not exist.
    pub(crate) fn submissions_dir(&self) -> PathBuf {
        self.dirs.common_dir.join("skein").join("submissions.git")
    }

    /// Returns a git command that must not read files of the worktree.
    pub(crate) fn git(&self) -> GitCommand {
        let mut command = guarded_command(&self.top);
        // Otherwise `core.worktree` could redirect every command to another directory.
        command.arg(GitArg::option("--work-tree", &self.top));
        let submissions = self.submissions_dir().join("objects");
        if submissions.is_dir() {
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quote_path(&submissions));
        }
        command
    }

    /// Runs a command of this repository and returns its output.
    pub(crate) fn finish(&self, command: GitCommand) -> Result<Vec<u8>, RunError> {
        match self.until {
            Some(_) => self.first(command, usize::MAX),
            None => finish(command, &self.top),
        }
    }

    /// Returns a command with these arguments.
    pub(crate) fn git_with(&self, args: impl IntoIterator<Item = &'static str>) -> GitCommand {
        let mut command = self.git();
        command.args(args);
        command
    }

    /// Runs a command, and returns its output; `None` if it exits with 1, which means "no" or
    /// "nothing found".
    pub(crate) fn answer(&self, command: GitCommand) -> Result<Option<Vec<u8>>, RunError> {
        answer(self.finish(command))
    }

    /// Runs a command until it ends or has printed `limit` bytes.
    pub(crate) fn first(&self, command: GitCommand, limit: usize) -> Result<Vec<u8>, RunError> {
        run_limited(command, &self.top, self.until, limit)
    }
}

//! A repository with a worktree, to ask git about.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::command::guarded_command;
use crate::quoted::quote_path;
use crate::repo_dirs::RepoDirs;
use crate::run::{RunError, answer, finish, run_limited};

/// A repository as seen from one of its worktrees.
///
/// Its methods start git, and treat the repository as one that came from a stranger: neither its
/// hooks nor the programs that its configuration names are run, and nothing is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    top: PathBuf,
    dirs: RepoDirs,
    until: Option<Instant>,
}

impl Repo {
    /// Returns the repository of `layout`; `None` when there is no worktree to work on.
    pub fn new(layout: &RepoDirs) -> Option<Self> {
        Some(Self { top: layout.top.clone()?, dirs: layout.clone(), until: None })
    }

    /// Sets the moment after which questions are given up with [`RunError::Late`].
    ///
    /// Git is ended then. Questions that git is given input for take as long as they take.
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }

    /// Returns the top of the worktree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.dirs.git_dir
    }

    pub(crate) fn common_dir(&self) -> &Path {
        &self.dirs.common_dir
    }

    /// Returns the directory of the submissions; it may not exist.
    pub(crate) fn submissions_dir(&self) -> PathBuf {
        self.dirs.common_dir.join("skein").join("submissions.git")
    }

    /// Returns a git command that does not look into the files of the worktree.
    pub(crate) fn git(&self) -> Command {
        let mut command = guarded_command(&self.top);
        // `core.worktree` could otherwise turn every question into one about another directory.
        let mut work_tree = std::ffi::OsString::from("--work-tree=");
        work_tree.push(&self.top);
        command.arg(work_tree);
        let submissions = self.submissions_dir().join("objects");
        if submissions.is_dir() {
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quote_path(&submissions));
        }
        command
    }

    /// Runs a command of this repository to its end.
    pub(crate) fn finish(&self, command: Command) -> Result<Vec<u8>, RunError> {
        match self.until {
            Some(_) => self.first(command, usize::MAX),
            None => finish(command, &self.top),
        }
    }

    /// Runs git with arguments and, after them, paths or names; returns what it prints.
    pub(crate) fn output(&self, args: &[&str], names: &[String]) -> Result<Vec<u8>, RunError> {
        let mut command = self.git();
        command.args(args).args(names);
        self.finish(command)
    }

    /// Returns what git prints; `None` when it exits with 1 to answer no, or that there is nothing.
    pub(crate) fn answer(&self, args: &[&str]) -> Result<Option<Vec<u8>>, RunError> {
        answer(self.output(args, &[]))
    }

    /// Runs a command until it ends or has printed `limit` bytes.
    pub(crate) fn first(&self, command: Command, limit: usize) -> Result<Vec<u8>, RunError> {
        run_limited(command, &self.top, self.until, limit)
    }
}

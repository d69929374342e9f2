//! A repository with a worktree, to ask git about.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::command::command;
use crate::layout::Layout;
use crate::limited_run::bounded;
use crate::run::{RunError, finish};
use crate::scratch::quoted;
use crate::submissions::submissions_dir;

/// Settings that keep a repository's own configuration from running programs, and from changing
/// what the output looks like.
///
/// A split index would write its shared half next to the user's own, and `core.safecrlf` would
/// refuse what is to be recorded as it is.
pub(crate) const SETTINGS: [&str; 11] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "diff.autoRefreshIndex=true",
    "diff.external=",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
];

/// A repository as seen from one of its worktrees.
///
/// Its methods start git, and treat the repository as one that came from a stranger: neither its
/// hooks nor the programs that its configuration names are run, and nothing is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    until: Option<Instant>,
}

impl Repo {
    /// Returns the repository of `layout`; `None` when there is no worktree to work on.
    #[must_use]
    pub fn new(layout: &Layout) -> Option<Self> {
        Some(Self {
            top: layout.top.clone()?,
            git_dir: layout.git_dir.clone(),
            common_dir: layout.common_dir.clone(),
            until: None,
        })
    }

    /// Sets the moment after which questions are given up with [`RunError::Late`].
    ///
    /// Git is ended then. Questions that git is given input for take as long as they take.
    #[must_use]
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }

    /// Returns the top of the worktree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Returns a git command that does not look into the files of the worktree.
    pub(crate) fn git(&self) -> Command {
        let mut command = command(&self.top);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        // `core.worktree` could otherwise turn every question into one about another directory.
        let mut work_tree = std::ffi::OsString::from("--work-tree=");
        work_tree.push(&self.top);
        // A repository can name a remote from which git fetches missing objects on its own, and
        // the program to fetch with. Versions before 2.44 know only this variable.
        command.arg(work_tree).env("GIT_ALLOW_PROTOCOL", "");
        let submissions = submissions_dir(&self.common_dir).join("objects");
        if submissions.is_dir() {
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&submissions));
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

    /// Runs a command that exits with 1 to say no, or that there is nothing.
    pub(crate) fn answer(&self, command: Command) -> Result<Option<Vec<u8>>, RunError> {
        match self.finish(command) {
            Err(RunError::Failed { status, .. }) if status.code() == Some(1) => Ok(None),
            done => done.map(Some),
        }
    }

    /// Runs a command until it ends or has printed `most` bytes.
    pub(crate) fn first(&self, command: Command, most: usize) -> Result<Vec<u8>, RunError> {
        bounded(command, &self.top, self.until, most)
    }
}

//! The sides of a diff.

use crate::command::{GitArg, GitCommand};
use crate::object_id::{CommitId, ObjectId};

/// A version of the files of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// The files of a commit.
    Commit(CommitId),
    /// The files of a tree.
    Tree(ObjectId),
    /// The index.
    Index,
    /// The files on disk.
    Worktree,
}

impl DiffSide {
    /// Returns the id of a commit or tree.
    fn recorded(&self) -> Option<GitArg> {
        match self {
            Self::Commit(id) => Some(id.into()),
            Self::Tree(id) => Some(id.into()),
            Self::Index | Self::Worktree => None,
        }
    }
}

/// Adds the arguments that compare two sides to `git diff`; returns false if they are the same.
pub(crate) fn compare(command: &mut GitCommand, old: &DiffSide, new: &DiffSide) -> bool {
    if old == new {
        return false;
    }
    match (old.recorded(), new.recorded()) {
        (Some(old), Some(new)) => command.arg(old).arg(new),
        (Some(recorded), None) => command.args(live(new)).arg(recorded),
        (None, Some(recorded)) => command.args(REVERSE).args(live(old)).arg(recorded),
        // The index has several versions of a file with a conflict.
        (None, None) if *old == DiffSide::Index => command.arg("--ours"),
        (None, None) => command.arg("--ours").args(REVERSE),
    };
    true
}

/// `-R` also swaps the prefixes, unless they are set.
const REVERSE: [&str; 3] = ["-R", "--src-prefix=b/", "--dst-prefix=a/"];

fn live(side: &DiffSide) -> Option<&'static str> {
    (*side == DiffSide::Index).then_some("--cached")
}

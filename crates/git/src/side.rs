//! What can be compared.

use std::process::Command;

use crate::object_id::{CommitId, ObjectId};

/// A state of the files of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// What a commit records.
    Commit(CommitId),
    /// What a tree records.
    Tree(ObjectId),
    /// What the next commit would record.
    Index,
    /// The files on disk.
    Worktree,
}

impl DiffSide {
    /// Returns the id of a state that is recorded.
    fn recorded(&self) -> Option<&str> {
        match self {
            Self::Commit(id) => Some(id.as_str()),
            Self::Tree(id) => Some(id.as_str()),
            Self::Index | Self::Worktree => None,
        }
    }
}

/// Adds to `git diff` the arguments that compare two sides; false when they are one and the same.
pub(crate) fn compare(command: &mut Command, old: &DiffSide, new: &DiffSide) -> bool {
    if old == new {
        return false;
    }
    match (old.recorded(), new.recorded()) {
        (Some(old), Some(new)) => command.args([old, new]),
        (Some(recorded), None) => command.args(live(new)).arg(recorded),
        (None, Some(recorded)) => command.args(REVERSE).args(live(old)).arg(recorded),
        // Of a conflict, the index has several versions.
        (None, None) if *old == DiffSide::Index => command.arg("--ours"),
        (None, None) => command.arg("--ours").args(REVERSE),
    };
    true
}

/// `-R` exchanges the prefixes too, unless they are set.
const REVERSE: [&str; 3] = ["-R", "--src-prefix=b/", "--dst-prefix=a/"];

fn live(side: &DiffSide) -> Option<&'static str> {
    (*side == DiffSide::Index).then_some("--cached")
}

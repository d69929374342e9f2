//! Detects an unfinished git operation.

use crate::repo_dirs::RepoDirs;

/// A git operation that takes several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `git rebase`.
    Rebase,
    /// `git am`.
    Am,
    /// `git merge`.
    Merge,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
}

/// The files that exist during an operation; one that can contain others comes first.
const SIGNS: [(&str, Operation); 7] = [
    ("rebase-merge", Operation::Rebase),
    ("rebase-apply/applying", Operation::Am),
    ("rebase-apply", Operation::Rebase),
    ("MERGE_HEAD", Operation::Merge),
    ("CHERRY_PICK_HEAD", Operation::CherryPick),
    ("REVERT_HEAD", Operation::Revert),
    ("BISECT_LOG", Operation::Bisect),
];

impl RepoDirs {
    /// Returns the unfinished operation in this worktree, without running git.
    pub fn operation(&self) -> Option<Operation> {
        let sign = SIGNS.iter().find(|(name, _)| self.git_dir.join(name).exists());
        sign.map(|(_, operation)| *operation)
    }
}

//! What git is in the middle of.

use crate::repo_dirs::RepoDirs;

/// Something that takes git several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Commits are put on top of another one.
    Rebase,
    /// Patches from mails are applied.
    Am,
    /// Branches are merged.
    Merge,
    /// A commit is repeated.
    CherryPick,
    /// A commit is undone.
    Revert,
    /// The commit that broke something is looked for.
    Bisect,
}

/// The files that show an operation, the one that others are part of first.
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
    /// Returns what git is in the middle of in this worktree, from the files of the repository alone.
    pub fn operation(&self) -> Option<Operation> {
        let sign = SIGNS.iter().find(|(name, _)| self.git_dir.join(name).exists());
        sign.map(|(_, operation)| *operation)
    }
}

//! The branches on which the threads were started.

use std::collections::{BTreeMap, BTreeSet};

use skein_catalog::branches::{StartBranches, unmerged};
use skein_workspace::Workspace;

/// The branches that threads were started on, and the answers of git about them.
#[derive(Default)]
pub(super) struct Branches {
    started: StartBranches,
    /// Whether a branch has commits that are not part of what is checked out, for each branch that git was asked about.
    is_unmerged: BTreeMap<String, bool>,
}

impl Branches {
    /// Reads the branches that threads were started on.
    pub(super) fn read(&mut self, workspace: &Workspace) {
        self.started = StartBranches::read(workspace);
    }

    /// Forgets the answers of git, because references have changed.
    pub(super) fn forget_refs(&mut self) {
        self.is_unmerged.clear();
    }

    /// Asks git about the branches that it was not asked about, all at once.
    pub(super) fn ask(&mut self, workspace: &Workspace, mut names: BTreeSet<String>) {
        names.retain(|name| !self.is_unmerged.contains_key(name));
        if names.is_empty() {
            return;
        }
        let unmerged = unmerged(workspace, names.iter().map(String::as_str).collect());
        let answer = |name: String| (name.clone(), unmerged.contains(&name));
        self.is_unmerged.extend(names.into_iter().map(answer));
    }

    /// Returns the branch that a thread was started on, where the state directory names it.
    pub(super) fn started_on(&self, id: &str) -> Option<&str> {
        self.started.get(id)
    }

    /// Returns whether a branch that git was asked about is not merged into what is checked out.
    pub(super) fn is_unmerged(&self, name: &str) -> bool {
        self.is_unmerged.get(name) == Some(&true)
    }
}

//! What is open in other worktrees, kept current after the first request.

use std::sync::{Arc, Mutex};

use skein_catalog::{OtherWorktree, other_worktrees};
use skein_workspace::Workspace;

use super::locked;

/// What was open in other worktrees when their files were last read; none before the first request.
#[derive(Default)]
pub(super) struct OtherWorktreesCache(pub(super) Mutex<Option<Arc<Vec<OtherWorktree>>>>);

impl OtherWorktreesCache {
    /// Returns the other worktrees in which something is open.
    pub(super) fn get(&self, workspace: &Workspace) -> Arc<Vec<OtherWorktree>> {
        let read = || Arc::new(other_worktrees(workspace));
        locked(&self.0).get_or_insert_with(read).clone()
    }

    /// Reads the files again; returns whether the result has changed.
    pub(super) fn has_changed(&self, workspace: &Workspace) -> bool {
        let mut last = locked(&self.0);
        let Some(known) = last.as_mut() else { return false };
        let now = other_worktrees(workspace);
        let is_same = **known == now;
        if !is_same {
            *known = Arc::new(now);
        }
        !is_same
    }
}

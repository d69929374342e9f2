//! Checkpoints in the stores of other worktrees: each worktree has its own checkout of a shared store.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skein_format::checkpoint::Form;
use skein_format::time::Time;

use crate::checkpoint_lookup;
use crate::checkpoint_rows::rows;
use crate::checkpoint_state::States;
use crate::filter::Filter;
use crate::ids::{Named, checkpoint_names};
use crate::layout::{Checkpoints, Workspace};
use crate::lexical::stem;
use crate::read::Rows;
use crate::read::checkpoint::row;
use crate::view::{Detail, Row};

/// A worktree of the repository whose store is not the one of this workspace.
pub(crate) struct OtherStore {
    /// The top of the worktree.
    pub(crate) root: PathBuf,
    /// The branch that is checked out there.
    pub(crate) branch: String,
    /// The store.
    checkpoints: Checkpoints,
}

/// Lists the worktrees that have a store of their own, other than the one of this workspace.
pub(crate) fn other_stores(workspace: &Workspace) -> Vec<OtherStore> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let store = |worktree: skein_git::Worktree| {
        let checkpoints = workspace.checkpoints_in(&worktree)?;
        let is_other = checkpoints.root != workspace.checkpoints.root;
        let (root, branch) = (worktree.top, worktree.head.label());
        is_other.then_some(OtherStore { root, branch, checkpoints })
    };
    git.worktrees().into_iter().filter_map(store).collect()
}

impl OtherStore {
    /// Returns the checkpoints that this workspace does not have.
    fn names(&self, workspace: &Workspace) -> Vec<Named> {
        let mut names = checkpoint_names(&self.checkpoints);
        names.retain(|named| checkpoint_lookup::exact(&workspace.checkpoints, &named.id).is_none());
        names
    }

    /// Counts the work that has not ended and that this workspace does not have: handoffs, and checkpoints with open steps.
    pub(crate) fn open_work(&self, workspace: &Workspace, now: Time) -> usize {
        let states = States::read(&self.checkpoints, now);
        let is_open = |named: &Named| {
            let Ok(snapshot) = skein_store::read(&named.path) else { return false };
            let (form, file) = (named.form.unwrap_or(Form::Thread), String::new());
            let mut row = row(&snapshot.bytes, &named.id, file, form);
            states.mark(&mut row);
            is_open(&row)
        };
        self.names(workspace).iter().filter(|named| is_open(named)).count()
    }
}

fn is_open(row: &Row) -> bool {
    let Detail::Checkpoint(detail) = &row.detail else { return false };
    let has_more = detail.kind == "handoff" || detail.open_steps > 0;
    row.usable && has_more && !detail.is_over
}

/// Lists the checkpoints of other worktrees that this workspace does not have, each with the branch of its worktree.
pub(crate) fn other_rows(workspace: &Workspace, filter: &Filter, now: Time) -> Rows {
    let mut all = Rows::default();
    let mut seen = BTreeSet::new();
    for store in other_stores(workspace) {
        let mut found = rows(&store.checkpoints, filter, now);
        found.rows.retain(|row| {
            checkpoint_lookup::exact(&workspace.checkpoints, &row.id).is_none()
                && seen.insert(row.id.clone())
        });
        for row in &mut found.rows {
            row.branch = Some(store.branch.clone());
        }
        all.add(found);
    }
    all
}

/// Finds the checkpoint of another worktree that an id, a slug, or the start of one means: its id, and the worktree.
pub(crate) fn in_other_worktree(workspace: &Workspace, text: &str) -> Option<(String, PathBuf)> {
    other_stores(workspace).into_iter().find_map(|store| {
        let place = checkpoint_lookup::among(text, &store.names(workspace)).ok()?;
        Some((stem(&place.1), store.root))
    })
}

//! Checkpoints in the stores of other worktrees: each worktree has its own checkout of a shared store.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use skein_format::time::Time;
use skein_model::Filter;
use skein_model::normalize_path::stem;
use skein_model::view::ThreadRow;
use skein_workspace::{CheckpointStore, Workspace};

use crate::checkpoint_lookup;
use crate::checkpoint_rows::rows;
use crate::checkpoint_state::States;
use crate::rows::Rows;
use crate::rows::checkpoint::row;
use crate::thread_names::{ThreadName, checkpoint_names};

/// Another worktree of the repository with a different store.
pub struct OtherStore {
    /// The top of the worktree.
    pub(crate) root: PathBuf,
    /// The branch that is checked out there.
    pub branch: String,
    checkpoints: CheckpointStore,
}

/// The work in a store that has not ended.
pub struct OpenWork {
    /// The ids of the checkpoints.
    pub ids: Vec<String>,
    /// Whether all checkpoints were read.
    pub is_whole: bool,
}

/// The checkpoints of this workspace, to check whether it has one of another store.
pub struct OwnCheckpoints<'a> {
    checkpoints: &'a CheckpointStore,
    /// Most ids are in all stores, and one listing is cheaper than a lookup per file.
    listed: HashSet<String>,
}

impl<'a> OwnCheckpoints<'a> {
    pub fn list(workspace: &'a Workspace) -> Self {
        let checkpoints = &workspace.checkpoints;
        let names = checkpoint_names(checkpoints).into_iter();
        Self { checkpoints, listed: names.map(|named| named.id).collect() }
    }

    fn has(&self, id: &str) -> bool {
        self.listed.contains(id) || checkpoint_lookup::exact(self.checkpoints, id).is_some()
    }
}

/// Lists the worktrees with a store other than that of this workspace.
pub fn other_stores(workspace: &Workspace) -> Vec<OtherStore> {
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
    fn names(&self, own: &OwnCheckpoints<'_>) -> Vec<ThreadName> {
        let mut names = checkpoint_names(&self.checkpoints);
        names.retain(|named| !own.has(&named.id));
        names
    }

    /// Finds open work that this workspace does not have: handoffs, and checkpoints with open steps.
    ///
    /// The latest are read first; reading stops at the time `until`.
    pub fn open_work(
        &self,
        own: &OwnCheckpoints<'_>,
        now: Time,
        until: Option<Instant>,
    ) -> OpenWork {
        let is_over = || until.is_some_and(|until| Instant::now() > until);
        if is_over() {
            return OpenWork { ids: Vec::new(), is_whole: false };
        }
        let states = States::read(&self.checkpoints, now);
        let is_open = |named: &ThreadName| {
            let Ok(snapshot) = skein_store::read(&named.path) else { return false };
            let mut row = row(&snapshot.bytes, &named.path, named.form());
            states.mark(&mut row);
            is_open(&row)
        };
        let mut work = OpenWork { ids: Vec::new(), is_whole: true };
        for named in self.names(own).into_iter().rev() {
            if is_over() {
                work.is_whole = false;
                break;
            }
            if is_open(&named) {
                work.ids.push(named.id);
            }
        }
        work
    }
}

fn is_open(row: &ThreadRow) -> bool {
    let Some(detail) = row.checkpoint() else { return false };
    let has_more = detail.kind == "handoff" || detail.open_steps > 0;
    row.usable && has_more && !detail.is_over
}

/// Lists the checkpoints of other worktrees that this workspace does not have, each with the branch of its worktree.
pub(crate) fn other_rows(workspace: &Workspace, filter: &Filter, now: Time) -> Rows {
    let mut all = Rows::default();
    let mut seen = BTreeSet::new();
    let own = OwnCheckpoints::list(workspace);
    for store in other_stores(workspace) {
        let mut found = rows(&store.checkpoints, filter, now);
        found.rows.retain(|row| !own.has(&row.id) && seen.insert(row.id.clone()));
        for row in &mut found.rows {
            row.branch = Some(store.branch.clone());
        }
        all.add(found);
    }
    all
}

/// Finds the checkpoint of another worktree by id, slug or prefix; returns its id and the worktree.
pub(crate) fn in_other_worktree(workspace: &Workspace, text: &str) -> Option<(String, PathBuf)> {
    let own = OwnCheckpoints::list(workspace);
    other_stores(workspace).into_iter().find_map(|store| {
        let (_, path) = checkpoint_lookup::only(text, &store.names(&own))?;
        Some((stem(&path), store.root))
    })
}

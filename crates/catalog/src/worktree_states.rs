//! One row for a thread that several worktrees have.
//!
//! Each worktree has its own checkout of a shared store, so the same thread can have another state in each.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use skein_model::view::{ReviewRow, RowDetail, ThreadRow, WorktreeStatus};
use skein_workspace::settings::Settings;
use skein_workspace::{ReviewStore, Workspace};

use crate::rows::{Rows, review};
use crate::thread_names::review_names;

/// Keeps one row of each thread: that of this worktree, or else the last changed one. Adds the state in each worktree if they differ.
pub(crate) fn join(workspace: &Workspace, stores: &[ReviewStore], rows: &mut Rows) {
    // Without sharing, no two worktrees have the same thread.
    if !stores.iter().any(ReviewStore::is_shared) {
        return;
    }
    let checkouts: Vec<Checkout<'_>> =
        stores.iter().filter(|store| store.exists).map(Checkout::new).collect();
    let own = workspace.reviews.threads();
    let rank = |row: &ThreadRow| (row.usable, row.file.starts_with(&own), row.updated_at);
    let mut kept: BTreeMap<String, Box<ThreadRow>> = BTreeMap::new();
    for row in std::mem::take(&mut rows.rows) {
        match kept.get_mut(&row.id) {
            Some(other) if rank(other) >= rank(&row) => {}
            Some(other) => *other = row,
            None => {
                kept.insert(row.id.clone(), row);
            }
        }
    }
    rows.rows = kept.into_values().collect();
    for row in &mut rows.rows {
        let worktrees = states(&checkouts, row, &workspace.settings);
        if let RowDetail::Review(detail) = &mut row.detail {
            detail.worktrees = worktrees;
        }
    }
}

/// The store of one worktree, with the ids of its threads.
struct Checkout<'a> {
    store: &'a ReviewStore,
    ids: HashSet<String>,
}

impl<'a> Checkout<'a> {
    fn new(store: &'a ReviewStore) -> Self {
        Self { store, ids: review_names(store).into_iter().map(|named| named.id).collect() }
    }

    fn file(&self, id: &str) -> Option<PathBuf> {
        self.ids.contains(id).then(|| self.store.threads().join(format!("{id}.md")))
    }
}

/// Returns the state of a thread in each worktree that has it; none if it is the same everywhere.
fn states(checkouts: &[Checkout<'_>], row: &ThreadRow, settings: &Settings) -> Vec<WorktreeStatus> {
    let holders = checkouts.iter().filter_map(|checkout| Some((checkout, checkout.file(&row.id)?)));
    let holders: Vec<(&Checkout<'_>, PathBuf)> = holders.collect();
    if holders.len() < 2 {
        return Vec::new();
    }
    let own = skein_store::read(&row.file).map(|snapshot| snapshot.bytes).unwrap_or_default();
    let mut states = Vec::new();
    for (checkout, file) in holders {
        let Ok(snapshot) = skein_store::read(&file) else { continue };
        let state = if snapshot.bytes == own {
            state(checkout, row)
        } else {
            let parts = (checkout.store, settings);
            state(checkout, &review::row_with(&snapshot.bytes, Vec::new(), &file, parts))
        };
        states.push(state);
    }
    let Some(first) = states.first() else { return states };
    let is_same = |other: &WorktreeStatus| {
        other.status == first.status && other.comment_count == first.comment_count
    };
    if states.iter().all(is_same) { Vec::new() } else { states }
}

fn state(checkout: &Checkout<'_>, row: &ThreadRow) -> WorktreeStatus {
    let status = row.status.as_deref().filter(|_| row.usable).unwrap_or("broken");
    WorktreeStatus {
        root: checkout.store.root.display().to_string(),
        branch: checkout.store.branch.clone().unwrap_or_default(),
        status: status.to_owned(),
        comment_count: row.review().map_or(0, |detail: &ReviewRow| detail.comment_count),
        updated_at: row.updated_at,
    }
}

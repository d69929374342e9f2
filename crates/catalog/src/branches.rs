//! The branches that threads were started on.
//!
//! A thread file has no key for the branch, and the VS Code extension would drop an added key on its next edit. So the branch is stored
//! in the state directory, by the id of the thread. The extension itself writes the name of the branch where Skein writes the commit.

use std::collections::{BTreeMap, BTreeSet};

use skein_git::Head;
use skein_model::Filter;
use skein_model::view::{PlacementState, ReviewRow, RowDetail, ThreadRow};
use skein_workspace::{FileError, Workspace, state_file};

use crate::drafts;
use crate::thread_names::review_names;

/// The file in the state directory.
pub const FILE: &str = "branches.json";
/// The number of entries from which those of deleted threads are removed.
const CLEANUP_THRESHOLD: usize = 1000;

/// Stores the branch that is checked out as that of new threads.
pub fn remember(workspace: &Workspace, ids: &[String]) -> Result<(), FileError> {
    let head = workspace.git.as_ref().map(skein_git::RepoDirs::head);
    let Some(Head::Branch { name }) = head else { return Ok(()) };
    state_file::update(&workspace.env, &workspace.dirs(), FILE, &|known: Option<
        BTreeMap<String, String>,
    >| {
        let mut branches = known.unwrap_or_default();
        if branches.len() >= CLEANUP_THRESHOLD {
            let there = review_names(&workspace.reviews);
            let drafts = drafts::of_both_sides(workspace);
            let mut names: Vec<String> = there.into_iter().map(|named| named.id).collect();
            names.extend(drafts.iter().map(|draft| draft.id()));
            names.sort_unstable();
            branches.retain(|id, _| names.binary_search(id).is_ok());
        }
        branches.extend(ids.iter().map(|id| (id.clone(), name.clone())));
        Some(branches)
    })
}

/// Copies the entries of threads whose ids have changed to the new ids.
pub fn carry(workspace: &Workspace, moved: &[(String, String)]) -> Result<(), FileError> {
    if moved.is_empty() {
        return Ok(());
    }
    state_file::update(&workspace.env, &workspace.dirs(), FILE, &|known: Option<
        BTreeMap<String, String>,
    >| {
        let mut branches = known.unwrap_or_default();
        for (from, to) in moved {
            if let Some(branch) = branches.get(from).cloned() {
                branches.insert(to.clone(), branch);
            }
        }
        Some(branches)
    })
}

/// The branches that threads were started on, by the ids of the threads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StartBranches(BTreeMap<String, String>);

impl StartBranches {
    /// Reads the state directory; in a sandbox also that of the user.
    pub fn read(workspace: &Workspace) -> Self {
        let dirs = workspace.dirs();
        let mut known: BTreeMap<String, String> = state_file::read(&dirs, FILE).unwrap_or_default();
        if let Some(dir) = workspace.state_outside(&dirs) {
            known.extend(state_file::read_in::<BTreeMap<_, _>>(&dir, FILE).unwrap_or_default());
        }
        Self(known)
    }

    /// Returns the branch that a thread was started on, if known.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// Sets the branch on which each review thread was started, if known, and marks those whose code is not here because it is on another branch.
pub fn mark<'a>(workspace: &Workspace, rows: impl IntoIterator<Item = &'a mut ThreadRow>) {
    let known = StartBranches::read(workspace);
    let mut gone = Vec::new();
    for row in rows {
        let RowDetail::Review(detail) = &mut row.detail else { continue };
        if let Some(branch) = known.get(&row.id) {
            detail.started_on = Some(branch.into());
        }
        if detail.state.is_some_and(PlacementState::is_unrecognised) {
            gone.push(row);
        }
    }
    mark_other_branches(workspace, gone);
}

/// Marks the threads that were started on another branch that is not merged into HEAD.
pub fn mark_other_branches<'a>(
    workspace: &Workspace,
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
) {
    let review = |row: &'a mut ThreadRow| match &mut row.detail {
        RowDetail::Review(detail) => Some(&mut **detail),
        _ => None,
    };
    let mut details: Vec<&mut ReviewRow> = rows.into_iter().filter_map(review).collect();
    let names = details.iter().filter_map(|detail| detail.started_on.as_deref()).collect();
    let unmerged = unmerged(workspace, names);
    for detail in &mut details {
        let branch = detail.started_on.as_deref();
        detail.is_of_other_branch = branch.is_some_and(|branch| unmerged.contains(branch));
    }
}

/// Returns which of these branches have commits that are not in HEAD.
///
/// Runs git once, and only if one of them is not checked out.
pub fn unmerged(workspace: &Workspace, mut names: BTreeSet<&str>) -> BTreeSet<String> {
    if let Some(git) = workspace.git.as_ref().filter(|_| !names.is_empty()) {
        names.remove(git.head().label().as_str());
    }
    let names: Vec<&str> = names.into_iter().collect();
    let repo = workspace.repo().filter(|_| !names.is_empty());
    repo.and_then(|repo| repo.unmerged_branches(&names).ok()).unwrap_or_default()
}

/// Returns whether a thread belongs to the branch of the filter: it was started there, or is in its worktree.
pub fn is_on(row: &ThreadRow, filter: &Filter) -> bool {
    let RowDetail::Review(detail) = &row.detail else { return true };
    let is_on = |branch: Option<&str>| branch.is_some() && filter.is_branch(branch);
    is_on(detail.started_on.as_deref()) || is_on(row.branch.as_deref())
}

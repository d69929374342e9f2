//! One match for a thread that several worktrees have.
//!
//! Each worktree has its own checkout of a shared store, with a file of its own for the same thread.

use std::collections::BTreeMap;
use std::path::Path;

use super::folder::FolderKind;
use super::scan::{Match, MatchOrigin};

/// Keeps one match of each thread of a shared store: that of the worktree in which the search runs, or else the last changed one.
pub(super) fn keep_one_of_each(matches: &mut Vec<Match<'_>>) {
    let mut best: BTreeMap<(&Path, String), Rank> = BTreeMap::new();
    for one in matches.iter() {
        if let Some((repository, rank)) = shared_thread(one) {
            let highest = best.entry((repository, one.name.clone())).or_insert(rank);
            *highest = rank.max(*highest);
        }
    }
    matches.retain(|one| {
        shared_thread(one).is_none_or(|(repository, rank)| {
            best.get(&(repository, one.name.clone())) == Some(&rank)
        })
    });
}

/// Whether the file is in the worktree of its workspace, when it was last changed, and the number of its folder.
///
/// No two files of a thread have the same rank, because they are in different folders.
type Rank = (bool, i64, usize);

/// Returns the repository and the rank of a thread of a shared store.
fn shared_thread<'a>(one: &Match<'a>) -> Option<(&'a Path, Rank)> {
    let (MatchOrigin::File(folder) | MatchOrigin::Unreadable(folder, _)) = &one.origin else {
        return None;
    };
    let FolderKind::Reviews { store, drafts: false, .. } = &folder.format else { return None };
    if !store.is_shared() {
        return None;
    }
    let workspace = &folder.workspace;
    let is_own = folder.dir == workspace.reviews.threads();
    Some((&workspace.git.as_ref()?.common_dir, (is_own, one.time, one.source)))
}

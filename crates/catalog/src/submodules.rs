//! What the submodules of a repository have: changes, and review threads in stores of their own.

use skein_model::view::SubmoduleSummary;
use skein_model::{Filter, Kind};
use skein_workspace::{Workspace, discover};

use super::list::{WorktreeScope, list};

/// Returns the submodules with open review threads or uncommitted changes, sorted by path.
///
/// Whether there are changes is only asked if `with_changes` is set, because git then reads the files of each submodule.
pub fn submodules(workspace: &Workspace, with_changes: bool) -> Vec<SubmoduleSummary> {
    let Some(repo) = workspace.repo() else { return Vec::new() };
    // A repository whose submodules cannot be listed has none to show.
    let submodules = repo.submodules().unwrap_or_default();
    let changed = if with_changes && !submodules.is_empty() {
        repo.changed_submodules().unwrap_or_default()
    } else {
        Vec::new()
    };
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..Filter::default() };
    let mut summaries = Vec::new();
    for submodule in submodules {
        let Some(top) = submodule.dirs.top else { continue };
        let inner = discover(&workspace.env.with_dir(top.clone()));
        let has_own_store = inner.reviews.exists && inner.reviews.root.starts_with(&top);
        let open_threads = if has_own_store {
            list(&inner, &filter, WorktreeScope::ThisWorktree).threads.len()
        } else {
            0
        };
        let is_changed = changed.contains(&submodule.path);
        if is_changed || open_threads > 0 {
            let dir = top.display().to_string();
            summaries.push(SubmoduleSummary {
                path: submodule.path,
                dir,
                is_changed,
                open_threads,
            });
        }
    }
    summaries
}

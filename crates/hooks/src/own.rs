//! Paths that Skein and its kin keep threads under: a change of those says nothing about the work.

use std::path::Path;

use skein_workspace::Workspace;
use skein_workspace::store_location::DEFAULT_STORE;

/// Returns whether a path lies in a folder of threads, wherever its root is.
pub(super) fn is_ours(workspace: &Workspace, path: &Path) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let holds_threads = |pair: &[&str]| matches!(pair, ["workspace", "threads" | "checkpoints"]);
    let mirrors =
        |four: &[&str]| matches!(four, ["companies", _, "workspace", "threads" | "sessions"]);
    parts.contains(&DEFAULT_STORE)
        || parts.windows(2).any(holds_threads)
        || parts.windows(4).any(mirrors)
        || path.starts_with(workspace.reviews.store())
        || path.starts_with(&workspace.reviews.store_path)
}

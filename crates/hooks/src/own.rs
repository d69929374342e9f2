//! The directories of threads. Changes in them are not part of the work.

use std::path::Path;

use skein_workspace::Workspace;
use skein_workspace::store_location::DEFAULT_STORE;

/// Returns whether a path is in a directory of threads, of any workspace.
pub(super) fn is_thread_path(workspace: &Workspace, path: &Path) -> bool {
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

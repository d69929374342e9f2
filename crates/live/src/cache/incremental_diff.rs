//! Brings a comparison up to date where only the content of some files has changed.

use std::collections::BTreeSet;

use skein_model::view::{Diff, DiffFile, DiffStatus};
use skein_review::{ChangesQuery, DiffSides, compare_again};
use skein_workspace::Workspace;

/// If more files than this have changed, all are compared.
const MAX_FILES: usize = 64;

/// Compares only the files that changed; none if the result could differ from comparing all.
///
/// Git finds renames among all files that were added or deleted, so only files that are merely modified are compared alone.
pub(super) fn splice(
    workspace: &Workspace,
    query: &ChangesQuery,
    sides: &DiffSides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Diff> {
    let is_rule =
        |path: &String| path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
    let is_small = (1..=MAX_FILES).contains(&changed.len()) && !changed.iter().any(is_rule);
    if !is_small || !query.paths.is_empty() || !old.is_worktree || !sides.hold(true) {
        return None;
    }
    let is_changed = |file: &DiffFile| {
        let mut paths = [Some(&file.path), file.old_path.as_ref()].into_iter().flatten();
        paths.any(|path| changed.contains(path))
    };
    // A path may be a folder by now, whose files are others.
    let is_modified =
        |file: &DiffFile| file.status == DiffStatus::Modified && changed.contains(&file.path);
    let mut touched = old.files.iter().filter(|file| is_changed(file));
    touched.all(is_modified).then_some(())?;
    let found = compare_again(workspace, sides, changed)?;
    found.iter().all(is_modified).then_some(())?;
    let rest = old.files.iter().filter(|file| !is_changed(file)).cloned();
    let mut files: Vec<DiffFile> = rest.chain(found).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let title = old.title.clone();
    sides.hold(!files.is_empty()).then(|| Diff { files, threads: Vec::new(), title, ..*old })
}

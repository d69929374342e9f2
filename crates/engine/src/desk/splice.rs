//! Brings a comparison up to date where only some files have changed.

use std::collections::BTreeSet;

use crate::discover::Workspace;
use crate::review::{ChangesQuery, Sides, compare_again};
use crate::view::{Diff, DiffFile};

/// Of more files than this, all are compared.
const MOST: usize = 64;

/// Compares only the files that changed; none where that could not give the same as comparing all.
pub(super) fn splice(
    workspace: &Workspace,
    query: &ChangesQuery,
    sides: &Sides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Diff> {
    let is_rule =
        |path: &String| path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
    if changed.is_empty()
        || changed.len() > MOST
        || !query.paths.is_empty()
        || changed.iter().any(is_rule)
    {
        return None;
    }
    if !old.is_worktree || !sides.hold(true) {
        return None;
    }
    let found = compare_again(workspace, sides, changed)?;
    let is_meant = |path: &str| changed.contains(path);
    let is_old =
        |file: &&DiffFile| is_meant(&file.path) || file.old_path.as_deref().is_some_and(is_meant);
    let (before, rest): (Vec<&DiffFile>, Vec<&DiffFile>) = old.files.iter().partition(is_old);
    // A path may stand for a folder by now, whose files are others.
    if !found.iter().all(|file| is_meant(&file.path)) || !stays_apart(&before, &found, &rest) {
        return None;
    }
    let mut files: Vec<DiffFile> = rest.into_iter().cloned().chain(found).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    sides.hold(!files.is_empty()).then(|| Diff {
        files,
        threads: Vec::new(),
        title: old.title.clone(),
        ..*old
    })
}

/// Returns whether no file can have become a renamed one, or stopped being one.
///
/// Git makes a renamed file of one that was deleted and one that was added.
fn stays_apart(before: &[&DiffFile], found: &[DiffFile], rest: &[&DiffFile]) -> bool {
    let plain = ["modified", "added", "deleted"];
    let touched = || before.iter().copied().chain(found);
    let all = || touched().chain(rest.iter().copied());
    let is = |file: &DiffFile, status: &str| file.status == status;
    let any_renamed = rest.iter().any(|file| matches!(file.status, "renamed" | "copied"));
    let pairs = |one: &str, other: &str| {
        touched().any(|file| is(file, one)) && (any_renamed || all().any(|file| is(file, other)))
    };
    touched().all(|file| plain.contains(&file.status))
        && !pairs("added", "deleted")
        && !pairs("deleted", "added")
}

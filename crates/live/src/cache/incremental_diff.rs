//! Brings a comparison up to date where only some files have changed.

use std::collections::BTreeSet;

use skein_model::view::{Diff, DiffFile};
use skein_review::{ChangesQuery, DiffSides, compare_again};
use skein_workspace::Workspace;

/// Of more files than this, all are compared.
const MAX_FILES: usize = 64;
/// So many are compared where that takes others into account.
const MAX_WIDE_FILES: usize = 256;

/// Compares only the files that changed; none where that could not give the same as comparing all.
pub(super) fn splice(
    workspace: &Workspace,
    query: &ChangesQuery,
    sides: &DiffSides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Diff> {
    let is_rule =
        |path: &String| path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
    if changed.is_empty()
        || changed.len() > MAX_FILES
        || !query.paths.is_empty()
        || changed.iter().any(is_rule)
    {
        return None;
    }
    if !old.is_worktree || !sides.hold(true) {
        return None;
    }
    let files = match narrow(workspace, sides, old, changed) {
        Some(files) => files,
        None => wide(workspace, sides, old, changed)?,
    };
    sides.hold(!files.is_empty()).then(|| Diff {
        files,
        threads: Vec::new(),
        title: old.title.clone(),
        ..*old
    })
}

/// Compares the files that changed alone; none where one of them may be a renamed one.
fn narrow(
    workspace: &Workspace,
    sides: &DiffSides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Vec<DiffFile>> {
    let (before, rest) = parted(old, changed);
    // Where this is no answer already there is no need to ask.
    stays_apart(&before, &[], &rest).then_some(())?;
    let found = found(workspace, sides, changed)?;
    stays_apart(&before, &found, &rest).then(|| joined(&rest, found))
}

/// Compares the files that changed together with all that are not merely modified.
///
/// Those are all that can be taken for renamed ones, so that git finds the same pairs as among all files.
fn wide(
    workspace: &Workspace,
    sides: &DiffSides,
    old: &Diff,
    changed: &BTreeSet<String>,
) -> Option<Vec<DiffFile>> {
    // A file above the root of the reviews may have been renamed, which is not in the comparison.
    workspace.prefix().is_empty().then_some(())?;
    let others = old.files.iter().filter(|file| file.status != "modified");
    let others = others.flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten();
    let wanted: BTreeSet<String> = others.chain(changed).cloned().collect();
    (wanted.len() <= MAX_WIDE_FILES).then_some(())?;
    let (_, rest) = parted(old, &wanted);
    Some(joined(&rest, found(workspace, sides, &wanted)?))
}

/// Parts the files of a comparison into those that are or were among some paths, and the rest.
fn parted<'a>(old: &'a Diff, paths: &BTreeSet<String>) -> (Vec<&'a DiffFile>, Vec<&'a DiffFile>) {
    let is_meant = |file: &&DiffFile| {
        [Some(&file.path), file.old_path.as_ref()]
            .into_iter()
            .flatten()
            .any(|path| paths.contains(path))
    };
    old.files.iter().partition(is_meant)
}

fn found(
    workspace: &Workspace,
    sides: &DiffSides,
    paths: &BTreeSet<String>,
) -> Option<Vec<DiffFile>> {
    let found = compare_again(workspace, sides, paths)?;
    // A path may stand for a folder by now, whose files are others.
    found.iter().all(|file| paths.contains(&file.path)).then_some(found)
}

fn joined(rest: &[&DiffFile], found: Vec<DiffFile>) -> Vec<DiffFile> {
    let mut files: Vec<DiffFile> = rest.iter().copied().cloned().chain(found).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
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

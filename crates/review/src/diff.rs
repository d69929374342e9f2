//! The changes under review, with the threads on them.

use std::collections::BTreeSet;

use skein_catalog::placement::Placer;
use skein_catalog::review_thread::ReviewThread;
use skein_catalog::show::review_view;
use skein_catalog::{ThreadRef, WorktreeScope, drafts, list, submodules};
use skein_git::{DiffSide, FileDiff, FileStatus, Hunk, HunkLine, LineKind};
use skein_model::view::{
    Diff, DiffFile, DiffHunk, DiffLine, DiffLineKind, DiffStatus, LineMark, ThreadView,
};
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;

use super::changes::{Changes, ChangesError, ChangesQuery, DiffSides, between, changes};

/// Compares files, and finds the threads on the changed files.
pub fn diff(
    workspace: &Workspace,
    query: &ChangesQuery,
    filter: &Filter,
) -> Result<Diff, ChangesError> {
    let (mut diff, _) = compare(workspace, query)?;
    diff.threads = threads(workspace, filter, &diff.files);
    if diff.is_worktree && query.paths.is_empty() {
        diff.submodules = submodules(workspace, true);
    }
    Ok(diff)
}

/// Compares files, without the threads; also returns the sides.
pub fn compare(
    workspace: &Workspace,
    query: &ChangesQuery,
) -> Result<(Diff, DiffSides), ChangesError> {
    let changes = changes(workspace, query)?;
    let diff = Diff {
        title: changes.sides.title.clone(),
        is_worktree: changes.sides.new == DiffSide::Worktree,
        files: of_files(&changes),
        threads: Vec::new(),
        submodules: Vec::new(),
    };
    Ok((diff, changes.sides))
}

/// Compares some files of the same sides again, by their paths from the root of the reviews.
///
/// A file that was renamed to or from another path counts as added or deleted.
pub fn compare_again(
    workspace: &Workspace,
    sides: &DiffSides,
    paths: &BTreeSet<String>,
) -> Option<Vec<DiffFile>> {
    let prefix = workspace.prefix();
    let paths: Vec<String> = paths.iter().map(|path| format!("{prefix}{path}")).collect();
    let changes = between(workspace, &workspace.repo()?, sides.clone(), &paths).ok()?;
    Some(of_files(&changes))
}

fn of_files(changes: &Changes) -> Vec<DiffFile> {
    changes.files.iter().filter_map(|file| of_file(changes, file)).collect()
}

/// Places every thread and keeps those on the files.
fn threads(workspace: &Workspace, filter: &Filter, files: &[DiffFile]) -> Vec<ThreadView> {
    let filter = Filter { kind: Some(Kind::Review), ..filter.clone() };
    let mut rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    rows.retain(|row| row.usable);
    rows.reverse();
    let mut placer = Placer::new(workspace, &workspace.reviews);
    let thread = |path| ThreadRef { reviews: workspace.reviews.clone(), path };
    let settings = &workspace.settings;
    let mut views: Vec<ThreadView> = rows
        .iter()
        .filter_map(|row| review_view(&mut placer, &thread(row.file.clone()), settings).ok())
        .collect();
    for draft in drafts::all(workspace) {
        let bytes = draft.doc.to_bytes().to_vec();
        let draft = ReviewThread::parse(bytes, &thread(draft.path), settings).into_draft();
        views.push(draft.placed(&mut placer));
    }
    let is_on_files =
        |view: &ThreadView| view.path().is_some_and(|at| files.iter().any(|file| file.path == at));
    views.retain(is_on_files);
    placer.finish();
    views
}

fn of_file(changes: &Changes, file: &FileDiff) -> Option<DiffFile> {
    let path = changes.below_root(file.path())?.to_owned();
    let old = file.old_path.as_deref().and_then(|path| changes.below_root(path));
    let has_mixed_endings = has_mixed_endings(file);
    // An added or deleted file has only one of them.
    let modes = file.old_mode.zip(file.new_mode);
    let (old_mode, new_mode) =
        modes.map(|(old, new)| (format!("{old:o}"), format!("{new:o}"))).unzip();
    let hunks: Vec<DiffHunk> =
        file.hunks.iter().map(|hunk| of_hunk(hunk, has_mixed_endings)).collect();
    let count = |kind: DiffLineKind| {
        hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count()
    };
    Some(DiffFile {
        old_path: old.filter(|old| *old != path).map(str::to_owned),
        status: match file.status {
            FileStatus::Added => DiffStatus::Added,
            FileStatus::Deleted => DiffStatus::Deleted,
            FileStatus::Modified => DiffStatus::Modified,
            FileStatus::Renamed => DiffStatus::Renamed,
            FileStatus::Copied => DiffStatus::Copied,
            FileStatus::TypeChanged => DiffStatus::TypeChanged,
        },
        old_mode,
        new_mode,
        binary: file.binary,
        diff_disabled: file.is_diff_disabled,
        added: count(DiffLineKind::Added),
        removed: count(DiffLineKind::Removed),
        path,
        hunks,
    })
}

/// Returns whether some of the changed lines end with a carriage return, and some do not.
fn has_mixed_endings(file: &FileDiff) -> bool {
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let mut changed = lines.filter(|line| line.kind != LineKind::Context).map(has_carriage_return);
    let first = changed.next();
    changed.any(|ending| Some(ending) != first)
}

fn has_carriage_return(line: &HunkLine) -> bool {
    line.bytes.ends_with(b"\r")
}

fn of_hunk(hunk: &Hunk, has_mixed_endings: bool) -> DiffHunk {
    let mut old = hunk.old_start.saturating_sub(1);
    let mut new = hunk.new_range().start;
    let lines = hunk.lines.iter().map(|line| {
        let kind = match line.kind {
            LineKind::Context => DiffLineKind::Context,
            LineKind::Added => DiffLineKind::Added,
            LineKind::Removed => DiffLineKind::Removed,
        };
        let text = line.text();
        let text = text.strip_suffix('\r').unwrap_or(&text);
        let next = |number: &mut u32, on: bool| {
            on.then(|| {
                *number += 1;
                *number - 1
            })
        };
        let old_line = next(&mut old, line.kind != LineKind::Added);
        let new_line = next(&mut new, line.kind != LineKind::Removed);
        // A byte order mark is not part of the first line.
        let first = new_line.or(old_line) == Some(0);
        let without_bom = text.strip_prefix('\u{feff}').filter(|_| first);
        let mut marks = Vec::new();
        if line.kind != LineKind::Context {
            if without_bom.is_some() {
                marks.push(LineMark::Bom);
            }
            if has_mixed_endings && has_carriage_return(line) {
                marks.push(LineMark::Crlf);
            }
            if line.no_newline {
                marks.push(LineMark::NoNewline);
            }
        }
        DiffLine { kind, old_line, new_line, text: without_bom.unwrap_or(text).to_owned(), marks }
    });
    DiffHunk { header: hunk.header(), lines: lines.collect() }
}

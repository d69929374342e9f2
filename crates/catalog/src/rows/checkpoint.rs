//! Checkpoints as rows.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{
    Checkpoint, CheckpointDoc, CheckpointFileKind, CheckpointRef, is_legacy_file, is_thread_file,
};
use skein_format::diagnostic::Diagnostic;
use skein_format::redact::{redact_url, redacted};
use skein_model::normalize_path::stem;
use skein_model::view::{
    CheckpointRow, FileDiagnostic, GitSummary, RowDetail, ThreadRow, WorkerSummary,
};
use skein_model::{Filter, Kind, Sensitive};
use skein_store::{Chunk, ScanOptions, Visit, scan};
use skein_workspace::CheckpointStore;

const FIRST_READ_BYTES: usize = 64 * 1024;

/// Computes a value from the id, the file and the content of a checkpoint.
pub(crate) type MakeOfHead<'a, T> =
    &'a (dyn Fn(&str, (CheckpointFileKind, PathBuf), Checkpoint) -> T + Sync);

/// Reads all usable checkpoints and computes a value for each; a thread hides a legacy checkpoint of the same id.
pub fn read_heads<T: Send>(checkpoints: &CheckpointStore, make: MakeOfHead<'_, T>) -> Vec<T> {
    let mut all = Vec::new();
    for (form, dir, options) in scans(checkpoints) {
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            let stem = name.strip_suffix(".json").unwrap_or(name);
            let head = CheckpointRef::parse(chunk.bytes, stem, form).0.into_head();
            if !head.usable {
                return Visit::Broken(None);
            }
            let hidden = is_hidden(checkpoints, form, &dir, name);
            Visit::Done((!hidden).then(|| make(stem, (form, dir.join(name)), head)))
        };
        let found = scan(&dir, &options, &visit).map(|scan| scan.values).unwrap_or_default();
        all.extend(found.into_iter().flatten());
    }
    all
}

/// Finds the threads whose files contain this id, also as that of a former auto-checkpoint, whatever their names.
///
/// Reads every thread.
pub(crate) fn threads_with_id(checkpoints: &CheckpointStore, id: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = read_heads(checkpoints, &|_, (form, path), head| {
        let names = [head.id.as_deref(), head.upgraded_from.as_deref()];
        (form == CheckpointFileKind::Thread && names.contains(&Some(id))).then_some(path)
    })
    .into_iter()
    .flatten()
    .collect();
    found.sort();
    found
}

/// Returns whether another file with the same id hides a checkpoint file: a pending one in the worktree hides a thread in the store, and
/// any thread hides a legacy checkpoint.
pub fn is_hidden(
    checkpoints: &CheckpointStore,
    form: CheckpointFileKind,
    dir: &Path,
    name: &str,
) -> bool {
    if form == CheckpointFileKind::Legacy {
        return checkpoints.replaces_legacy(name.strip_suffix(".json").unwrap_or(name));
    }
    let in_store = |local: &&PathBuf| dir == checkpoints.threads() && **local != dir;
    checkpoints.local.as_ref().filter(in_store).is_some_and(|local| local.join(name).exists())
}

/// Returns the directories of checkpoint files, with the options to scan each.
pub(crate) fn scans(
    checkpoints: &CheckpointStore,
) -> impl Iterator<Item = (CheckpointFileKind, PathBuf, ScanOptions<'static>)> {
    let local = checkpoints.local.clone().filter(|dir| dir.is_dir());
    let [thread, legacy] = [CheckpointFileKind::Thread, CheckpointFileKind::Legacy]
        .map(|form| (form, scanning(checkpoints, form)));
    let local = local.map(|dir| (thread.0, (dir, thread.1.1)));
    local.into_iter().chain([thread, legacy]).map(|(form, (dir, options))| (form, dir, options))
}

/// Returns the directory of a kind of file, with the options to scan it.
pub fn scanning(
    checkpoints: &CheckpointStore,
    form: CheckpointFileKind,
) -> (PathBuf, ScanOptions<'static>) {
    let (dir, keep): (_, &(dyn Fn(&str) -> bool + Sync)) = match form {
        CheckpointFileKind::Thread => (checkpoints.threads(), &is_thread_file),
        CheckpointFileKind::Legacy => (checkpoints.legacy(), &is_legacy_file),
    };
    (dir, ScanOptions { suffix: ".json", keep, first: FIRST_READ_BYTES, threads: None })
}

/// Returns the row of a checkpoint from the bytes of its file, with the status in the file.
pub fn row(bytes: &[u8], file: &Path, form: CheckpointFileKind) -> ThreadRow {
    let stem = stem(file);
    let (checkpoint, found) = CheckpointRef::parse(bytes, &stem, form);
    build(checkpoint.into_head(), found, stem, file)
}

/// Returns whether a checkpoint matches, by its row and the bytes of its file.
pub fn is_wanted(row: &ThreadRow, bytes: &[u8], form: CheckpointFileKind, filter: &Filter) -> bool {
    filter.wants(Kind::Checkpoint)
        && passes(row, filter, |git| lists_pass(bytes, &row.id, form, filter, git))
}

/// Returns whether a row matches; filters on values that are not in the row are ignored.
pub fn row_passes(row: &ThreadRow, filter: &Filter) -> bool {
    filter.wants(Kind::Checkpoint) && passes(row, filter, |_| true)
}

fn passes(row: &ThreadRow, filter: &Filter, lists: impl Fn(Option<&GitSummary>) -> bool) -> bool {
    let Some(detail) = row.checkpoint() else { return false };
    let tag = filter.tag.is_none() || detail.tags.iter().any(|tag| filter.is_tag(tag.unredacted()));
    let git = detail.git.as_ref();
    let branch = || git.and_then(|git| git.branch.as_ref()).map(Sensitive::unredacted);
    tag && filter.is_type(&detail.kind)
        && filter.passes(row.status.as_deref(), row.updated_at)
        && (filter.branch.is_none() || filter.is_branch(branch()))
        && ((filter.file.is_none() && filter.commit.is_none()) || lists(git))
}

/// Checks the values that are not in the row: the files, and the commits.
fn lists_pass(
    bytes: &[u8],
    stem: &str,
    form: CheckpointFileKind,
    filter: &Filter,
    git: Option<&GitSummary>,
) -> bool {
    let of_git = git.is_some_and(|git| {
        let commits = [git.current_commit.as_deref(), git.initial_commit.as_deref()];
        commits.into_iter().flatten().any(|commit| filter.is_commit(commit))
    });
    if filter.file.is_none() && of_git {
        return true;
    }
    let (doc, _) = CheckpointDoc::parse(bytes.to_vec(), stem, form);
    let commit = filter.commit.is_none()
        || of_git
        || doc.commits().iter().any(|commit| filter.is_commit(commit));
    commit && (filter.file.is_none() || doc.files().iter().any(|file| filter.is_on(&file.path)))
}

fn build(head: Checkpoint, found: Vec<Diagnostic>, stem: String, file: &Path) -> ThreadRow {
    let diagnostics = FileDiagnostic::all(found, file);
    let reason = diagnostics.first().map(|first| format!("(cannot be used: {})", first.code));
    let status = head.state().map(str::to_owned);
    let is_over = head.is_over();
    let title = head.title.map(redacted).filter(|title| !title.trim().is_empty());
    let summary = head.summary.map(Sensitive::from);
    let instead =
        || summary.as_ref().filter(|_| head.usable).map(|text| text.redacted().into_owned());
    let title = title.or_else(instead).or(reason);
    ThreadRow {
        kind: Kind::Checkpoint,
        title: title.unwrap_or_else(|| redacted(stem.clone())),
        id: stem,
        file: file.to_owned(),
        status: status.map(|status| redacted(status).into()),
        created_at: head.created_at,
        updated_at: head.updated_at,
        usable: head.usable,
        diagnostics,
        branch: None,
        detail: RowDetail::Checkpoint(Box::new(CheckpointRow {
            kind: redacted(head.kind.as_str().to_owned()),
            summary,
            cwd: head.cwd.map(Sensitive::from),
            git: head.git.map(|git| GitSummary {
                branch: git.branch.map(Sensitive::from),
                remote_url: git.remote_url.map(|url| redact_url(&url)),
                initial_commit: git.initial_commit.map(redacted),
                current_commit: git.current_commit.map(redacted),
                dirty: git.dirty,
            }),
            worker: head.worker.map(|worker| WorkerSummary {
                id: worker.id.map(redacted),
                skill: worker.skill.map(redacted),
                state: worker.state.map(|state| redacted(state.as_str().to_owned())),
                started_at: worker.started_at,
                completed_at: worker.completed_at,
            }),
            tags: head.tags.into_iter().map(Sensitive::from).collect(),
            file_count: head.file_count,
            open_steps: head.open_steps,
            taken: None,
            is_over,
            session_id: head.session_id,
        })),
    }
}

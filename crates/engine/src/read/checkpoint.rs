//! Checkpoints as rows.

use skein_format::checkpoint::{Checkpoint, CheckpointDoc, CheckpointRef, Form};
use skein_format::diagnostic::Diagnostic;
use skein_format::id::CheckpointId;
use skein_format::redact::{redact, redact_url};
use skein_store::{Chunk, ScanOptions, Visit, scan};

use super::Rows;
use crate::discover::Checkpoints;
use crate::filter::Filter;
use crate::guarded::Guarded;
use crate::kind::Kind;
use crate::view::{CheckpointRow, Detail, Diag, Git, Row, Worker};

const WHOLE: usize = 64 * 1024;

/// Lists the checkpoints that pass; a thread hides a legacy checkpoint of the same id.
pub(crate) fn rows(checkpoints: &Checkpoints, filter: &Filter) -> Rows {
    let mut all = Rows::default();
    read(checkpoints, Form::Thread, filter, &mut all);
    let before = all.rows.len();
    read(checkpoints, Form::Legacy, filter, &mut all);
    let legacy = all.rows.split_off(before);
    all.rows.extend(legacy.into_iter().filter(|row| !checkpoints.hides(&row.id)));
    all
}

/// Returns whether a file of the directory of threads is one.
pub(crate) fn is_thread(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or_default();
    !stem.ends_with(".changeset") && CheckpointId::is_one(stem)
}

/// Returns whether a file of the legacy directory is a checkpoint.
pub(crate) fn is_legacy(name: &str) -> bool {
    !name.starts_with('.') && name != skein_format::checkpoint::HandoffDoc::FILE_NAME
}

/// Reads one checkpoint whose bytes are at hand.
pub(crate) fn row(bytes: &[u8], stem: &str, file: String, form: Form) -> Row {
    let (checkpoint, found) = CheckpointRef::parse(bytes, stem, form);
    build(checkpoint.into_head(), found, stem, file)
}

fn read(checkpoints: &Checkpoints, form: Form, filter: &Filter, all: &mut Rows) {
    let (dir, keep): (_, fn(&str) -> bool) = match form {
        Form::Thread => (checkpoints.threads(), is_thread),
        Form::Legacy => (checkpoints.legacy(), is_legacy),
    };
    let prefix = format!("{}/", dir.display());
    let options = ScanOptions { suffix: ".json", keep, first: WHOLE, threads: None };
    let visit = |name: &str, chunk: Chunk<'_>| {
        if !chunk.whole {
            return Visit::More;
        }
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let row = row(chunk.bytes, stem, [&prefix, name].concat(), form);
        let usable = row.usable;
        let row = passes(&row, filter, || touches(chunk.bytes, stem, form, filter))
            .then(|| Box::new(row));
        if usable { Visit::Done(row) } else { Visit::Broken(row) }
    };
    all.take(&dir, scan(&dir, &options, &visit), Kind::Checkpoint);
}

fn passes(row: &Row, filter: &Filter, touches: impl Fn() -> bool) -> bool {
    let Detail::Checkpoint(detail) = &row.detail else {
        return false;
    };
    let tag = filter.tag.as_ref().is_none_or(|tag| detail.tags.iter().any(|one| one.is(tag)));
    let kind = filter.type_name.as_ref().is_none_or(|kind| {
        detail.kind == *kind || (kind == "auto" && detail.kind == "auto-checkpoint")
    });
    tag && kind
        && filter.passes(row.status.as_deref(), row.updated_at)
        && (filter.file.is_none() || touches())
}

fn touches(bytes: &[u8], stem: &str, form: Form, filter: &Filter) -> bool {
    let (doc, _) = CheckpointDoc::parse(bytes.to_vec(), stem, form);
    doc.files().iter().any(|file| filter.is_on(&file.path))
}

fn build(head: Checkpoint, found: Vec<Diagnostic>, stem: &str, file: String) -> Row {
    let diagnostics = Diag::all(found, &file);
    let why = diagnostics.first().map(|first| format!("(cannot be used: {})", first.code));
    let worker_state = head.worker.as_ref().and_then(|worker| worker.state.as_ref());
    let status = head.status.or_else(|| worker_state.map(|state| state.as_str().to_owned()));
    let title = head.title.map(clean).filter(|title| !title.trim().is_empty());
    let summary = head.summary.map(Guarded::from);
    let instead = || summary.as_ref().filter(|_| head.usable).map(|text| text.shown().into_owned());
    let title = title.or_else(instead).or(why);
    Row {
        kind: Kind::Checkpoint,
        id: stem.to_owned(),
        title: title.unwrap_or_else(|| stem.to_owned()),
        file,
        status: status.map(Into::into),
        created_at: head.created_at,
        updated_at: head.updated_at,
        usable: head.usable,
        diagnostics,
        branch: None,
        detail: Detail::Checkpoint(Box::new(CheckpointRow {
            kind: head.kind.as_str().to_owned(),
            summary,
            cwd: head.cwd.map(Guarded::from),
            git: head.git.map(|git| Git {
                branch: git.branch.map(Guarded::from),
                remote_url: git.remote_url.map(|url| redact_url(&url)),
                initial_commit: git.initial_commit,
                current_commit: git.current_commit,
                dirty: git.dirty,
            }),
            worker: head.worker.map(|worker| Worker {
                id: worker.id,
                skill: worker.skill,
                state: worker.state.map(|state| state.as_str().to_owned()),
                started_at: worker.started_at,
                completed_at: worker.completed_at,
            }),
            tags: head.tags.into_iter().map(Guarded::from).collect(),
            file_count: head.file_count,
            open_steps: head.open_steps,
        })),
    }
}

/// Takes secrets out of a text.
pub(crate) fn clean(text: String) -> String {
    match redact(&text) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(clean) => clean,
    }
}

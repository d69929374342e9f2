//! `index.json`: a cache for other programs, derived from the thread files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use skein_catalog::origins;
use skein_catalog::rows::{Depth, review};
use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect, JsonKind, Reader, SyntaxError};
use skein_format::review::{Range, ReviewDoc};
use skein_format::span::{Span, splice};
use skein_model::Filter;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadRow, WriteAction};
use skein_store::{DirLock, write_unsynced};
use skein_workspace::settings::Settings;
use skein_workspace::{ReviewStore, Workspace};

use super::open;
use super::update::load;
use super::write_error::WriteError;
use super::write_result::Written;

/// Maximum size of an index that is rewritten for a reply.
const MAX_REWRITTEN_BYTES: u64 = 1024 * 1024;

/// A thread in the index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexEntry {
    pub id: String,
    pub file: String,
    pub range: Option<Range>,
    pub status: String,
    pub(crate) updated_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    schema_version: u32,
    threads: Vec<IndexEntry>,
}

pub fn path(reviews: &ReviewStore) -> PathBuf {
    reviews.store().join("index.json")
}

/// Updates the entries of some threads by id; the entry of a thread without a document is removed.
///
/// The threads are already written, so a failure is a diagnostic and not an error.
pub fn follow(
    workspace: &Workspace,
    reviews: &ReviewStore,
    guard: &DirLock,
    threads: &[(String, Option<&ReviewDoc>)],
) -> Option<FileDiagnostic> {
    let path = path(reviews);
    // The target of a symlink is not the index of this store, and must not be copied into it.
    let old = skein_store::read(&path).ok().filter(|_| !path.is_symlink());
    let old = old.map(|snapshot| snapshot.bytes).unwrap_or_default();
    let bytes = spliced(old, threads).unwrap_or_else(|| render(reviews, &workspace.settings));
    let error = write_unsynced(&*workspace.env.fs, guard, &path, &bytes).err()?;
    let message = format!("the index was not written: {}", error.source);
    Some(FileDiagnostic::new(Code::IndexStale, &path, None, message))
}

/// Updates the entries of threads of one store that were just written under its lock; drafts have no entries.
pub(crate) fn follow_written(workspace: &Workspace, guard: &DirLock, written: &mut [Written]) {
    note_written(workspace, written);
    let Some(first) = written.first().filter(|first| first.thread.is_published()) else { return };
    let reviews = &first.thread.reviews;
    let is_large = || path(reviews).metadata().is_ok_and(|file| file.len() > MAX_REWRITTEN_BYTES);
    if written.iter().all(|one| changes_only_time(one.result.action)) && is_large() {
        return;
    }
    let exists = |one: &Written| one.doc.head().usable && one.result.action != WriteAction::Deleted;
    let threads = written.iter().map(|one| (one.thread.id(), exists(one).then_some(&one.doc)));
    let threads: Vec<(String, Option<&ReviewDoc>)> = threads.collect();
    let stale = follow(workspace, reviews, guard, &threads);
    if let Some(last) = written.last_mut() {
        last.report(stale);
    }
}

/// Notes which comments were just written here.
fn note_written(workspace: &Workspace, written: &[Written]) {
    for one in written {
        let mut own = one.doc.comments();
        own.retain(|comment| Some(&comment.id) == one.result.comment.as_ref());
        // Without the note, which a sandboxed agent cannot write, the thread is not delivered to a session.
        drop(origins::note_written(workspace, (&one.thread.id(), &one.doc), &own));
    }
}

/// Returns whether only the time in the entry of a thread changes.
fn changes_only_time(action: WriteAction) -> bool {
    matches!(action, WriteAction::Replied | WriteAction::Proposed | WriteAction::Edited)
}

/// Updates the entries of threads that were written one after the other, and adds problems to the last result.
///
/// They are read again under the lock, because another program may have changed them since.
pub(crate) fn follow_all(workspace: &Workspace, written: &mut [Written]) -> Result<(), WriteError> {
    note_written(workspace, written);
    let is_changed =
        |one: &Written| one.thread.is_published() && one.result.action != WriteAction::Unchanged;
    let stores = written.iter().filter(|one| is_changed(one)).map(|one| one.thread.reviews.store());
    for store in stores.collect::<BTreeSet<PathBuf>>() {
        let is_here = |one: &Written| is_changed(one) && one.thread.reviews.store() == store;
        let Some(first) = written.iter().find(|one| is_here(one)) else { continue };
        let guard = open::existing(&workspace.env, &first.thread.reviews)?;
        let current = written.iter().filter(|one| is_here(one)).map(|one| {
            let action = one.result.action;
            let (doc, action) = match load(&one.thread) {
                Ok((doc, _)) => (doc, action),
                Err(_) => (one.doc.clone(), WriteAction::Deleted),
            };
            Written::new(one.thread.clone(), doc, action)
        });
        let mut current: Vec<Written> = current.collect();
        follow_written(workspace, &guard, &mut current);
        let stale = current.into_iter().flat_map(|one| one.result.diagnostics);
        if let Some(last) = written.last_mut() {
            last.report(stale);
        }
    }
    Ok(())
}

/// Returns the content of the index, generated from the thread files.
pub fn render(reviews: &ReviewStore, settings: &Settings) -> Vec<u8> {
    let index = Index { schema_version: 1, threads: entries(reviews, settings) };
    let mut bytes = serde_json::to_vec_pretty(&index)
        .expect("strings and numbers under string keys always serialise");
    bytes.push(b'\n');
    bytes
}

/// Returns the entries of the index, sorted by id.
pub fn entries(reviews: &ReviewStore, settings: &Settings) -> Vec<IndexEntry> {
    let rows = review::rows(reviews, &Filter::default(), settings, Depth::Summary).rows;
    let mut entries: Vec<IndexEntry> =
        rows.into_iter().filter(|row| row.usable).filter_map(|row| of_row(*row)).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    entries
}

fn of_row(row: ThreadRow) -> Option<IndexEntry> {
    let RowDetail::Review(detail) = row.detail else { return None };
    let target = detail.target?;
    Some(IndexEntry {
        id: row.id,
        file: target.path,
        range: target.range.map(Into::into),
        status: row.status?.into_owned(),
        updated_at: row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
    })
}

fn of_doc(id: &str, doc: &ReviewDoc) -> Vec<u8> {
    let head = doc.head();
    let entry = IndexEntry {
        id: id.to_owned(),
        file: head.path.as_ref().map(ToString::to_string).unwrap_or_default(),
        range: head.range,
        status: head.status.as_str().to_owned(),
        updated_at: head.updated_at.map(|at| at.to_string()).unwrap_or_default(),
    };
    let text = serde_json::to_string_pretty(&entry)
        .expect("strings and numbers under string keys always serialise");
    text.replace('\n', "\n    ").into_bytes()
}

/// Updates the entries of an index; none if the file is not an index in this format.
///
/// Entries of other threads and other keys than `threads` keep their bytes.
fn spliced(mut bytes: Vec<u8>, threads: &[(String, Option<&ReviewDoc>)]) -> Option<Vec<u8>> {
    let root = Span::new(json::bom_len(&bytes), bytes.len());
    let version = json::member(&bytes, root, Dialect::Json, "schemaVersion").ok()??;
    if !json::is_one(version.value.of(&bytes)) {
        return None;
    }
    let list = json::member(&bytes, root, Dialect::Json, "threads").ok()??;
    if list.kind != JsonKind::Array {
        return None;
    }
    let changed: BTreeSet<&str> = threads.iter().map(|(id, _)| id.as_str()).collect();
    let mut entries: Vec<(String, Vec<u8>)> = listed(&bytes, list.value)
        .ok()?
        .into_iter()
        .filter(|(id, _)| !changed.contains(id.as_str()))
        .map(|(id, span)| (id, span.of(&bytes).to_vec()))
        .collect();
    let exists = |(id, doc): &(String, Option<&ReviewDoc>)| Some((id.clone(), of_doc(id, (*doc)?)));
    entries.extend(threads.iter().filter_map(exists));
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let entries: Vec<Vec<u8>> = entries.into_iter().map(|(_, entry)| entry).collect();
    let array = match entries.as_slice() {
        [] => b"[]".to_vec(),
        _ => [b"[\n    ".as_slice(), &entries.join(b",\n    ".as_slice()), b"\n  ]"].concat(),
    };
    splice(&mut bytes, list.value, &array);
    Some(bytes)
}

/// Returns the entries with their ids; an entry without an id is dropped.
fn listed(bytes: &[u8], threads: Span) -> Result<Vec<(String, Span)>, SyntaxError> {
    let mut found = Vec::new();
    Reader::new(bytes, threads, Dialect::Json).array(|reader| {
        let mut id = None;
        if reader.peek()? != JsonKind::Object {
            reader.skip()?;
            return Ok(());
        }
        let span = reader.object(|reader, key| {
            if key.is(bytes, "id") {
                id = reader.string_or_skip()?.map(|text| text.to_text(bytes));
            } else {
                reader.skip()?;
            }
            Ok(())
        })?;
        found.extend(id.map(|id| (id, span)));
        Ok(())
    })?;
    Ok(found)
}

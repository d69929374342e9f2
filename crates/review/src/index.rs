//! `index.json`: a cache that other programs read and nobody should believe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::rows::{Depth, review};
use skein_format::diagnostic::Code;
use skein_format::json::{self, Dialect, Kind, Reader, SyntaxError};
use skein_format::review::{Range, ReviewDoc};
use skein_format::span::{Span, splice};
use skein_model::Filter;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, RowDetail, ThreadRow, WriteResult};
use skein_store::{DirLock, write_unsynced};
use skein_workspace::settings::Settings;
use skein_workspace::{Env, ReviewStore, Workspace};

use super::open;
use super::update::load;
use super::write_error::WriteError;

/// An index that is larger is not rewritten for a reply.
const MAX_REWRITTEN_BYTES: u64 = 1024 * 1024;

/// What happened to a thread.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It came, went through a change of status, or moved.
    Changed(&'a ReviewDoc),
    /// It got a comment, which the index tells only by a time.
    Touched(&'a ReviewDoc),
    /// It is gone.
    Removed,
}

/// When the index follows the change of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Following {
    /// At once.
    Now,
    /// When the caller has changed all of its threads, by [`follow_written`]: each time, the whole index is written.
    Later,
}

/// A thread in the index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
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
    threads: Vec<Entry>,
}

pub fn path(reviews: &ReviewStore) -> PathBuf {
    reviews.store().join("index.json")
}

/// Brings the entries of some threads up to date, each named by its id.
///
/// The threads are written already; an index that cannot follow is a finding, no error.
pub fn follow(
    env: &Env,
    reviews: &ReviewStore,
    settings: &Settings,
    guard: &DirLock,
    events: &[(String, Event<'_>)],
) -> Option<FileDiagnostic> {
    let path = path(reviews);
    let all_touched = events.iter().all(|(_, event)| matches!(event, Event::Touched(_)));
    if all_touched && path.metadata().is_ok_and(|file| file.len() > MAX_REWRITTEN_BYTES) {
        return None;
    }
    // What a link leads to is no index of this store, and is not to be copied into it.
    let old = skein_store::read(&path).ok().filter(|_| !path.is_symlink());
    let old = old.map(|snapshot| snapshot.bytes).unwrap_or_default();
    let bytes = spliced(old, events).unwrap_or_else(|| render(reviews, settings));
    let error = write_unsynced(&*env.fs, guard, &path, &bytes).err()?;
    let message = format!("the index was not written: {}", error.source);
    Some(FileDiagnostic::new(Code::IndexStale, &path.display().to_string(), None, message))
}

/// Brings the entry of a thread up to date; a draft has none.
pub(crate) fn follow_one(
    env: &Env,
    reviews: &ReviewStore,
    settings: &Settings,
    guard: &DirLock,
    path: &Path,
    event: Event<'_>,
) -> Option<FileDiagnostic> {
    if path.parent() != Some(reviews.threads().as_path()) {
        return None;
    }
    follow(env, reviews, settings, guard, &[(stem(path), event)])
}

/// Brings the entries of threads up to date that were changed one after the other.
///
/// They are read again, because another program may have changed them since.
pub(crate) fn follow_written(
    workspace: &Workspace,
    env: &Env,
    written: &[WriteResult],
) -> Result<Vec<FileDiagnostic>, WriteError> {
    let mut stores: BTreeMap<PathBuf, (ReviewStore, Vec<PathBuf>, bool)> = BTreeMap::new();
    for one in written.iter().filter(|one| one.action != "unchanged") {
        let (reviews, path) = open::thread(workspace, env, &one.file)?;
        if path.parent() == Some(reviews.threads().as_path()) {
            let store = stores.entry(reviews.store()).or_insert((reviews, Vec::new(), false));
            store.1.push(path);
            store.2 |= !matches!(one.action, "replied" | "proposed");
        }
    }
    let mut stale = Vec::new();
    for (reviews, paths, changed) in stores.into_values() {
        let guard = open::existing(env, &reviews)?;
        let docs = paths.iter().map(|path| (stem(path), load(&reviews, path).ok()));
        let docs: Vec<(String, Option<ReviewDoc>)> =
            docs.map(|(id, loaded)| (id, loaded.map(|(doc, _)| doc))).collect();
        let as_event = if changed { Event::Changed } else { Event::Touched };
        let events = docs
            .iter()
            .map(|(id, doc)| (id.clone(), doc.as_ref().map_or(Event::Removed, as_event)));
        let events: Vec<(String, Event<'_>)> = events.collect();
        stale.extend(follow(env, &reviews, &workspace.settings, &guard, &events));
    }
    Ok(stale)
}

/// Writes the index as it should be.
pub fn render(reviews: &ReviewStore, settings: &Settings) -> Vec<u8> {
    let index = Index { schema_version: 1, threads: entries(reviews, settings) };
    let mut bytes = serde_json::to_vec_pretty(&index)
        .expect("strings and numbers under string keys always serialise");
    bytes.push(b'\n');
    bytes
}

/// Returns what the index should list, in the byte order of ids.
pub fn entries(reviews: &ReviewStore, settings: &Settings) -> Vec<Entry> {
    let rows = review::rows(reviews, &Filter::default(), settings, Depth::Summary).rows;
    let mut entries: Vec<Entry> =
        rows.into_iter().filter(|row| row.usable).filter_map(|row| of_row(*row)).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    entries
}

fn of_row(row: ThreadRow) -> Option<Entry> {
    let RowDetail::Review(detail) = row.detail else {
        return None;
    };
    let target = detail.target?;
    Some(Entry {
        id: row.id,
        file: target.path,
        range: target.range.map(Into::into),
        status: row.status?.into_owned(),
        updated_at: row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
    })
}

fn of_doc(id: &str, doc: &ReviewDoc) -> Vec<u8> {
    let head = doc.head();
    let entry = Entry {
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

/// Puts the entries into an index; none where it is no index of ours.
///
/// Entries of other threads and keys besides `threads` keep their bytes.
fn spliced(mut bytes: Vec<u8>, events: &[(String, Event<'_>)]) -> Option<Vec<u8>> {
    let root = Span::new(json::bom_len(&bytes), bytes.len());
    let version = json::member(&bytes, root, Dialect::Json, "schemaVersion").ok()??;
    if !json::is_one(version.value.of(&bytes)) {
        return None;
    }
    let threads = json::member(&bytes, root, Dialect::Json, "threads").ok()??;
    if threads.kind != Kind::Array {
        return None;
    }
    let touched: BTreeSet<&str> = events.iter().map(|(id, _)| id.as_str()).collect();
    let mut entries: Vec<(String, Vec<u8>)> = listed(&bytes, threads.value)
        .ok()?
        .into_iter()
        .filter(|(id, _)| !touched.contains(id.as_str()))
        .map(|(id, span)| (id, span.of(&bytes).to_vec()))
        .collect();
    entries.extend(events.iter().filter_map(|(id, event)| match event {
        Event::Changed(doc) | Event::Touched(doc) => Some((id.clone(), of_doc(id, doc))),
        Event::Removed => None,
    }));
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let entries: Vec<Vec<u8>> = entries.into_iter().map(|(_, entry)| entry).collect();
    let array = match entries.as_slice() {
        [] => b"[]".to_vec(),
        _ => [b"[\n    ".as_slice(), &entries.join(b",\n    ".as_slice()), b"\n  ]"].concat(),
    };
    splice(&mut bytes, threads.value, &array);
    Some(bytes)
}

/// Finds the entries with their ids; one without an id is nobody's and goes.
fn listed(bytes: &[u8], threads: Span) -> Result<Vec<(String, Span)>, SyntaxError> {
    let mut found = Vec::new();
    Reader::new(bytes, threads, Dialect::Json).array(|reader| {
        let mut id = None;
        if reader.peek()? != Kind::Object {
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

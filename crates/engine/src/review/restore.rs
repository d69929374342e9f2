//! Brings deleted threads back.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::review::ReviewDoc;
use skein_store::{CreateError, Guard, RealFs, create_new, lock, remove};

use super::delete::{Former, trash};
use super::index::{self, Event};
use super::write_error::WriteError;
use super::{draft, open, written};
use crate::discover::Workspace;
use crate::env::Env;
use crate::read::review::place;
use crate::view::Written;

/// A thread in the trash.
#[derive(Clone, Debug, Serialize)]
pub struct Deleted {
    /// Its id.
    pub id: String,
    /// When it was deleted, as `20260123-143052`; threads that went together share it.
    pub deleted: String,
    /// The place that it is about, counted from 1.
    pub at: String,
    /// The first line of its first comment.
    pub title: String,
    /// Whether it was not submitted yet; it comes back as a draft.
    pub draft: bool,
    /// The file in the trash.
    pub file: PathBuf,
    /// Counts what went under the same name at the same time.
    #[serde(skip)]
    number: u32,
}

/// Why a thread was not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Nothing of that id was deleted.
    #[error("no deleted thread has this id: {id}")]
    None {
        /// What was asked for.
        id: String,
    },
    /// Several deleted threads have ids that start so.
    #[error("more than one deleted thread is meant by: {id}")]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// Their ids.
        candidates: Vec<String>,
    },
    /// A thread of that id is in the store, or among the drafts.
    #[error("a thread of this id is there already: {id}")]
    Exists {
        /// The thread.
        id: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Lists the threads in the trash, the last deleted first.
pub fn deleted(workspace: &Workspace, env: &Env) -> Vec<Deleted> {
    let mut all: Vec<Deleted> = Vec::new();
    for former in [Former::Thread, Former::Draft] {
        let entries = trash(env, &workspace.reviews, former).read_dir().into_iter().flatten();
        let files = entries.filter_map(Result::ok).map(|entry| entry.path());
        all.extend(files.filter_map(|file| one(workspace, file, former)));
    }
    all.sort_by(|a, b| (&b.deleted, b.number, &a.id).cmp(&(&a.deleted, a.number, &b.id)));
    all
}

fn one(workspace: &Workspace, file: PathBuf, former: Former) -> Option<Deleted> {
    let name = file.file_name()?.to_str()?.strip_suffix(".md")?;
    // `20260123-143052-<id>`, or `20260123-143052.2-<id>` where that was taken.
    let (date, rest) = name.split_once('-')?;
    let (time, id) = rest.split_once('-')?;
    let (time, number) = time.split_once('.').unwrap_or((time, "1"));
    let bytes = skein_store::read(&file).ok()?.bytes;
    let doc = ReviewDoc::parse(bytes, id, &workspace.reviews.store_path).0;
    let title =
        doc.comments().first().and_then(|first| first.body.lines().next().map(str::to_owned));
    let path = doc.head().path_text.clone().unwrap_or_default();
    Some(Deleted {
        id: id.to_owned(),
        deleted: format!("{date}-{time}"),
        at: place(&path, doc.head().range),
        title: title.unwrap_or_default(),
        draft: former == Former::Draft,
        number: number.parse().ok()?,
        file,
    })
}

/// Brings back the thread that was deleted last under this id, or under one that starts so.
///
/// A draft is a draft again.
pub fn restore(workspace: &Workspace, env: &Env, id: &str) -> Result<Written, RestoreError> {
    let all = deleted(workspace, env);
    let meant = all.iter().find(|one| one.id == id).map_or_else(|| by_prefix(&all, id), Ok)?;
    let trashed = skein_store::read(&meant.file).map_err(WriteError::from)?;
    let doc = ReviewDoc::parse(trashed.bytes, &meant.id, &workspace.reviews.store_path).0;
    let written = if meant.draft {
        as_draft(workspace, env, &meant.id, &doc)?
    } else {
        as_thread(workspace, &meant.id, &doc)?
    };
    let dir = meant.file.parent().unwrap_or(&meant.file);
    let guard = lock(&RealFs, dir, std::time::Duration::from_secs(5)).map_err(WriteError::from)?;
    remove(&RealFs, &guard, &meant.file, &trashed.revision).map_err(WriteError::from)?;
    Ok(written)
}

fn as_thread(workspace: &Workspace, id: &str, doc: &ReviewDoc) -> Result<Written, RestoreError> {
    let open = open::ensure(workspace)?;
    let path = workspace.reviews.threads().join(format!("{id}.md"));
    put(&open.guard, &path, id, doc, 0o666)?;
    let event = if doc.head().usable { Event::Changed(doc) } else { Event::Removed };
    let events = [(id.to_owned(), event)];
    let stale = index::follow(&workspace.reviews, &workspace.settings, &open.guard, &events);
    let mut written = written::of(&path, doc, "restored");
    written.diagnostics.extend(stale);
    Ok(written)
}

fn as_draft(
    workspace: &Workspace,
    env: &Env,
    id: &str,
    doc: &ReviewDoc,
) -> Result<Written, RestoreError> {
    let guard = draft::open(workspace, env)?;
    let path = draft::dir(workspace, env).join(format!("{id}.md"));
    put(&guard, &path, id, doc, 0o600)?;
    Ok(written::of(&path, doc, "restored"))
}

fn put(
    guard: &Guard,
    path: &Path,
    id: &str,
    doc: &ReviewDoc,
    mode: u32,
) -> Result<(), RestoreError> {
    match create_new(&RealFs, guard, path, doc.to_bytes(), mode) {
        Ok(_) => Ok(()),
        Err(CreateError::Exists { .. }) => Err(RestoreError::Exists { id: id.to_owned() }),
        Err(error) => Err(WriteError::from(error).into()),
    }
}

fn by_prefix<'a>(all: &'a [Deleted], id: &str) -> Result<&'a Deleted, RestoreError> {
    let hits: Vec<&Deleted> =
        all.iter().filter(|one| !id.is_empty() && one.id.starts_with(id)).collect();
    let first = hits.first().ok_or_else(|| RestoreError::None { id: id.to_owned() })?;
    let mut candidates: Vec<String> = hits.iter().map(|one| one.id.clone()).collect();
    candidates.dedup();
    if candidates.len() == 1 {
        return Ok(first);
    }
    Err(RestoreError::Ambiguous { id: id.to_owned(), candidates })
}

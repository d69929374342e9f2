//! Brings deleted threads back.

use std::path::PathBuf;

use serde::Serialize;
use skein_format::review::ReviewDoc;
use skein_store::{CreateError, RealFs, create_new, lock, remove};

use super::delete::trash;
use super::index::{self, Event};
use super::write_error::WriteError;
use super::{open, written};
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
    /// The file in the trash.
    pub file: PathBuf,
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
    /// A thread of that id is in the store.
    #[error("a thread of this id is in the store: {id}")]
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
    let dir = trash(env, &workspace.reviews);
    let Ok(entries) = dir.read_dir() else { return Vec::new() };
    let mut all: Vec<Deleted> =
        entries.filter_map(Result::ok).filter_map(|entry| one(workspace, entry.path())).collect();
    all.sort_by(|a, b| (&b.deleted, &a.id).cmp(&(&a.deleted, &b.id)));
    all
}

fn one(workspace: &Workspace, file: PathBuf) -> Option<Deleted> {
    let name = file.file_name()?.to_str()?.strip_suffix(".md")?;
    // `20260123-143052-<id>`, or `20260123-143052.2-<id>` where that was taken.
    let (date, rest) = name.split_once('-')?;
    let (time, id) = rest.split_once('-')?;
    let time = time.split('.').next()?;
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
        file,
    })
}

/// Brings back the thread that was deleted last under this id, or under one that starts so.
pub fn restore(workspace: &Workspace, env: &Env, id: &str) -> Result<Written, RestoreError> {
    let all = deleted(workspace, env);
    let meant = all.iter().find(|one| one.id == id).map_or_else(|| by_prefix(&all, id), Ok)?;
    let bytes = skein_store::read(&meant.file).map_err(WriteError::from)?;
    let open = open::ensure(workspace)?;
    let path = workspace.reviews.threads().join(format!("{}.md", meant.id));
    match create_new(&RealFs, &open.guard, &path, &bytes.bytes, 0o666) {
        Ok(_) => {}
        Err(CreateError::Exists { .. }) => {
            return Err(RestoreError::Exists { id: meant.id.clone() });
        }
        Err(error) => return Err(WriteError::from(error).into()),
    }
    let doc = ReviewDoc::parse(bytes.bytes, &meant.id, &workspace.reviews.store_path).0;
    let event = if doc.head().usable { Event::Changed(&doc) } else { Event::Removed };
    let events = [(meant.id.clone(), event)];
    let stale = index::follow(&workspace.reviews, &workspace.settings, &open.guard, &events);
    let dir = meant.file.parent().unwrap_or(&meant.file);
    let guard = lock(&RealFs, dir, std::time::Duration::from_secs(5)).map_err(WriteError::from)?;
    remove(&RealFs, &guard, &meant.file, &bytes.revision).map_err(WriteError::from)?;
    let mut written = written::of(&path, &doc, "restored");
    written.diagnostics.extend(stale);
    Ok(written)
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

//! Brings deleted threads back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use skein_format::review::ReviewDoc;
use skein_store::{CreateError, Guard, create_new, lock, remove};

use super::delete::{Former, trash};
use super::index::{self, Event};
use super::write_error::WriteError;
use super::{draft, open, written};
use crate::discover::Workspace;
use crate::env::Env;
use crate::ids::stem;
use crate::read::review::place;
use crate::view::Written;

const PATIENCE: Duration = Duration::from_secs(5);

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

/// Brings back the threads that were deleted last under these ids, or under ones that start so.
///
/// Either all of them can be brought back or none is. A draft is a draft again.
pub fn restore(
    workspace: &Workspace,
    env: &Env,
    ids: &[String],
    written: &mut Vec<Written>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace, env);
    let mut meant: Vec<&Deleted> = Vec::new();
    for id in ids {
        let one = all.iter().find(|one| one.id == *id).map_or_else(|| by_prefix(&all, id), Ok)?;
        if !meant.iter().any(|other| other.file == one.file) {
            may_come_back(workspace, env, one)?;
            meant.push(one);
        }
    }
    let (drafts, threads): (Vec<&Deleted>, Vec<&Deleted>) =
        meant.into_iter().partition(|one| one.draft);
    bring_back(workspace, env, &threads, written)?;
    bring_back(workspace, env, &drafts, written)
}

/// Makes sure that nothing else has the name; an earlier attempt may have got as far as the copy.
fn may_come_back(workspace: &Workspace, env: &Env, one: &Deleted) -> Result<(), RestoreError> {
    let dir = if one.draft { draft::dir(workspace, env) } else { workspace.reviews.threads() };
    let Ok(there) = skein_store::read(&dir.join(format!("{}.md", one.id))) else { return Ok(()) };
    let trashed = skein_store::read(&one.file).map_err(WriteError::from)?;
    if there.revision == trashed.revision {
        return Ok(());
    }
    Err(RestoreError::Exists { id: one.id.clone() })
}

/// Brings back everything that went at the last time, and says what came back, also where it fails in between.
pub fn restore_last(
    workspace: &Workspace,
    env: &Env,
    written: &mut Vec<Written>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace, env);
    let last = all.first().map(|one| one.deleted.clone());
    // What went twice at the same time comes back once: the later one.
    let mut seen = BTreeSet::new();
    let meant = all.iter().filter(|one| Some(&one.deleted) == last.as_ref());
    let meant = meant.filter(|one| seen.insert((one.draft, &one.id)));
    let (drafts, threads): (Vec<&Deleted>, Vec<&Deleted>) = meant.partition(|one| one.draft);
    bring_back(workspace, env, &threads, written)?;
    bring_back(workspace, env, &drafts, written)
}

/// Brings back threads alone, or drafts alone.
fn bring_back(
    workspace: &Workspace,
    env: &Env,
    meant: &[&Deleted],
    written: &mut Vec<Written>,
) -> Result<(), RestoreError> {
    let Some(first) = meant.first() else { return Ok(()) };
    let (guard, dir, mode) = match first.draft {
        true => (draft::open(workspace, env)?, draft::dir(workspace, env), 0o600),
        false => (open::ensure(env, workspace)?.guard, workspace.reviews.threads(), 0o666),
    };
    let trash = first.file.parent().unwrap_or(&first.file);
    let trash = lock(&*env.fs, trash, PATIENCE).map_err(WriteError::from)?;
    let mut docs = Vec::new();
    let mut failed = Ok(());
    for one in meant {
        let path = dir.join(format!("{}.md", one.id));
        match take_out(env, workspace, &guard, &trash, one, &path, mode) {
            Ok(doc) => docs.push((path, doc)),
            Err(error) => {
                failed = Err(error);
                break;
            }
        }
    }
    let before = written.len();
    written.extend(docs.iter().map(|(path, doc)| written::of(path, doc, "restored")));
    if !first.draft && written.len() > before {
        let event =
            |doc| if ReviewDoc::head(doc).usable { Event::Changed(doc) } else { Event::Removed };
        let events: Vec<_> = docs.iter().map(|(path, doc)| (stem(path), event(doc))).collect();
        let stale = index::follow(env, &workspace.reviews, &workspace.settings, &guard, &events);
        if let Some(last) = written.last_mut() {
            last.diagnostics.extend(stale);
        }
    }
    failed
}

/// Creates the file again, then removes it from the trash.
fn take_out(
    env: &Env,
    workspace: &Workspace,
    guard: &Guard,
    trash: &Guard,
    one: &Deleted,
    path: &Path,
    mode: u32,
) -> Result<ReviewDoc, RestoreError> {
    let trashed = skein_store::read(&one.file).map_err(WriteError::from)?;
    put(env, guard, path, &one.id, &trashed.bytes, mode)?;
    remove(&*env.fs, trash, &one.file, &trashed.revision).map_err(WriteError::from)?;
    Ok(ReviewDoc::parse(trashed.bytes, &one.id, &workspace.reviews.store_path).0)
}

fn put(
    env: &Env,
    guard: &Guard,
    path: &Path,
    id: &str,
    bytes: &[u8],
    mode: u32,
) -> Result<(), RestoreError> {
    match create_new(&*env.fs, guard, path, bytes, mode) {
        Ok(_) => Ok(()),
        // An earlier attempt may have got as far as the copy.
        Err(CreateError::Exists { .. })
            if skein_store::read(path).is_ok_and(|there| there.bytes == bytes) =>
        {
            Ok(())
        }
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

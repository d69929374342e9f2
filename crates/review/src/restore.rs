//! Brings deleted threads back.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use skein_catalog::deleted_reviews::{Deleted, Former, deleted, trash};
use skein_catalog::drafts;
use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_model::view::WriteResult;
use skein_store::{CreateError, DirLock, create_new, lock, move_to_trash, remove};
use skein_workspace::{Env, Workspace};

use super::delete::run_stamp;
use super::index::{self, Event};
use super::update::{WrittenThread, merge_into, merged};
use super::write_error::WriteError;
use super::{draft, open, write_result};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

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
    /// No worktree of that name was removed.
    #[error("no worktree with threads was removed under this name: {name}")]
    NoWorktree {
        /// What was asked for.
        name: String,
    },
    /// A thread of that id is in the store, or among the drafts.
    #[error("a thread of this id is there already: {id}")]
    Exists {
        /// The thread.
        id: String,
    },
    /// Several worktrees had that name.
    #[error("more than one removed worktree is meant by: {name}")]
    ManyWorktrees {
        /// What was asked for.
        name: String,
        /// Where they were.
        roots: Vec<String>,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Brings back the threads that were deleted last under these ids, or under ones that start so.
///
/// Either all of them can be brought back or none is. A draft is a draft again.
pub fn restore(
    workspace: &Workspace,
    env: &Env,
    ids: &[String],
    written: &mut Vec<WriteResult>,
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
    bring_back_all(workspace, env, meant, written)
}

/// Brings back everything of a worktree that was removed, named by its branch, its directory or the path to it.
///
/// A thread that is in the store is merged. One that cannot be merged is left out, and is an error after the others are back.
pub fn restore_worktree(
    workspace: &Workspace,
    env: &Env,
    name: &str,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace, env);
    bring_back_all(workspace, env, of_worktree(&all, name)?, written)
}

/// Moves everything that a removed worktree left to the trash, so that it is not reported any more.
pub fn dismiss_worktree(
    workspace: &Workspace,
    env: &Env,
    name: &str,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let stamp = run_stamp(env, [&workspace.reviews]);
    for one in of_worktree(&deleted(workspace, env), name)? {
        let former = if one.draft { Former::Draft } else { Former::Thread };
        let dir = one.file.parent().unwrap_or(&one.file);
        let guard = lock(&*env.fs, dir, LOCK_TIMEOUT).map_err(WriteError::from)?;
        let bytes = skein_store::read(&one.file).map_err(WriteError::from)?.bytes;
        let doc = ReviewDoc::parse(bytes, &one.id, &workspace.reviews.store_path).0;
        let trash = trash(env, &workspace.reviews, former);
        move_to_trash(&*env.fs, &guard, &trash, &one.file, &stamp).map_err(WriteError::from)?;
        written.push(write_result::from_doc(&one.file, &doc, "deleted"));
    }
    Ok(())
}

/// Returns what a removed worktree left.
fn of_worktree<'a>(all: &'a [Deleted], name: &str) -> Result<Vec<&'a Deleted>, RestoreError> {
    let of_it =
        |one: &&Deleted| one.removed_worktree.as_ref().is_some_and(|from| from.is_called(name));
    let meant: Vec<&Deleted> = all.iter().filter(of_it).collect();
    if meant.is_empty() {
        return Err(RestoreError::NoWorktree { name: name.to_owned() });
    }
    let from = |one: &&Deleted| one.removed_worktree.as_ref().map(|from| from.root.clone());
    let roots: BTreeSet<String> = meant.iter().filter_map(from).collect();
    if roots.len() > 1 {
        let roots = roots.into_iter().collect();
        return Err(RestoreError::ManyWorktrees { name: name.to_owned(), roots });
    }
    Ok(meant)
}

/// Makes sure that nothing else has the name; an earlier attempt may have got as far as the copy.
///
/// What a removed worktree had is merged with another version of the same thread.
fn may_come_back(workspace: &Workspace, env: &Env, one: &Deleted) -> Result<(), RestoreError> {
    let dir = if one.draft { drafts::dir(workspace, env) } else { workspace.reviews.threads() };
    let Ok(there) = skein_store::read(&dir.join(format!("{}.md", one.id))) else { return Ok(()) };
    let trashed = skein_store::read(&one.file).map_err(WriteError::from)?;
    let can_merge = || can_merge(workspace, one, &there.bytes, &trashed.bytes);
    if there.revision == trashed.revision || can_merge() {
        return Ok(());
    }
    Err(RestoreError::Exists { id: one.id.clone() })
}

/// Returns whether what a removed worktree had can be merged with what is there.
fn can_merge(workspace: &Workspace, one: &Deleted, there: &[u8], copy: &[u8]) -> bool {
    let path = workspace.reviews.threads().join(format!("{}.md", one.id));
    one.removed_worktree.is_some() && merged(&workspace.reviews, &path, there, copy).is_some()
}

/// Brings back everything that the last command deleted, and says what came back, also where it fails in between.
pub fn restore_last(
    workspace: &Workspace,
    env: &Env,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace, env);
    let all: Vec<Deleted> = all.into_iter().filter(|one| one.removed_worktree.is_none()).collect();
    let Some(last) = all.first() else { return Ok(()) };
    let same_run = |one: &&Deleted| (&one.deleted, one.run) == (&last.deleted, last.run);
    // Of two copies of a thread, one is brought back.
    let mut seen = BTreeSet::new();
    let meant = all.iter().filter(same_run);
    let meant = meant.filter(|one| seen.insert((one.draft, &one.id)));
    bring_back_all(workspace, env, meant.collect(), written)
}

/// Brings back what comes from each directory under one lock, threads before drafts.
///
/// A thread that is there already does not keep the others from coming back.
fn bring_back_all(
    workspace: &Workspace,
    env: &Env,
    mut meant: Vec<&Deleted>,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let origin = |one: &Deleted| (one.draft, one.file.parent().map(Path::to_owned));
    meant.sort_by_key(|one| origin(one));
    let mut exists = Ok(());
    for group in meant.chunk_by(|one, other| origin(one) == origin(other)) {
        match bring_back(workspace, env, group, written) {
            Err(error @ RestoreError::Exists { .. }) => exists = exists.and(Err(error)),
            done => done?,
        }
    }
    exists
}

/// Brings back threads alone, or drafts alone.
fn bring_back(
    workspace: &Workspace,
    env: &Env,
    meant: &[&Deleted],
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let Some(first) = meant.first() else { return Ok(()) };
    let (guard, dir) = match first.draft {
        true => (draft::open(workspace, env)?, drafts::dir(workspace, env)),
        false => (open::ensure(env, workspace)?.guard, workspace.reviews.threads()),
    };
    let trash = first.file.parent().unwrap_or(&first.file);
    let trash = lock(&*env.fs, trash, LOCK_TIMEOUT).map_err(WriteError::from)?;
    let mut docs = Vec::new();
    let mut failed = Ok(());
    for one in meant {
        let path = dir.join(format!("{}.md", one.id));
        match take_out(env, workspace, &guard, &trash, one, &path) {
            Ok(WrittenThread { doc, diagnostics }) => {
                let restored = write_result::from_doc(&path, &doc, "restored");
                written.push(WriteResult { diagnostics, ..restored });
                docs.push((path, doc));
            }
            Err(error @ RestoreError::Exists { .. }) => failed = failed.and(Err(error)),
            Err(error) => {
                failed = Err(error);
                break;
            }
        }
    }
    if !first.draft && !docs.is_empty() {
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
    guard: &DirLock,
    trash: &DirLock,
    one: &Deleted,
    path: &Path,
) -> Result<WrittenThread, RestoreError> {
    let trashed = skein_store::read(&one.file).map_err(WriteError::from)?;
    let done = put(env, workspace, guard, path, one, &trashed.bytes)?;
    remove(&*env.fs, trash, &one.file, &trashed.revision).map_err(WriteError::from)?;
    Ok(done)
}

fn put(
    env: &Env,
    workspace: &Workspace,
    guard: &DirLock,
    path: &Path,
    one: &Deleted,
    bytes: &[u8],
) -> Result<WrittenThread, RestoreError> {
    let mode = if one.draft { 0o600 } else { 0o666 };
    let there = match create_new(&*env.fs, guard, path, bytes, mode) {
        Ok(_) => None,
        Err(CreateError::Exists { .. }) => Some(skein_store::read(path).map_err(WriteError::from)?),
        Err(error) => return Err(WriteError::from(error).into()),
    };
    match there {
        // An earlier attempt may have got as far as the copy.
        Some(there) if there.bytes != bytes => {
            if !can_merge(workspace, one, &there.bytes, bytes) {
                return Err(RestoreError::Exists { id: one.id.clone() });
            }
            Ok(merge_into(env, &workspace.reviews, guard, path, bytes)?)
        }
        _ => {
            let doc = ReviewDoc::parse(bytes.to_vec(), &one.id, &workspace.reviews.store_path).0;
            Ok(WrittenThread { doc, diagnostics: Vec::new() })
        }
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

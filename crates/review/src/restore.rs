//! Restores deleted threads.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use skein_catalog::deleted_reviews::{Deleted, Former, deleted, trash};
use skein_catalog::thread_names::matching;
use skein_catalog::{ThreadRef, drafts};
use skein_model::Kind;
use skein_model::view::{WriteAction, WriteResult};
use skein_store::{CreateError, DirLock, create_new, lock, move_to_trash, read, remove};
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::{Env, FileError, Workspace};

use super::delete::run_stamp;
use super::update::{UpdatedThread, merge_into, merged};
use super::write_error::WriteError;
use super::write_result::{Written, from_doc, placed};
use super::{index, open};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a thread was not restored; `id` and `name` are the user's input.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("no deleted thread has this id: {id}")]
    None { id: String },
    #[error("ambiguous id of a deleted thread: {id}")]
    Ambiguous { id: String, candidates: Vec<String> },
    #[error("no worktree with threads was removed under this name: {name}")]
    NoWorktree { name: String },
    /// A thread with this id is in the store, or among the drafts.
    #[error("a thread with this id already exists: {id}")]
    Exists { id: String },
    #[error("ambiguous name of a removed worktree: {name}")]
    ManyWorktrees { name: String, roots: Vec<String> },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(RestoreError);

/// Restores the last deleted threads with these ids or prefixes.
///
/// If one cannot be restored, none is. A draft becomes a draft again.
pub fn restore(
    workspace: &Workspace,
    ids: &[String],
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace);
    let mut meant: Vec<&Deleted> = Vec::new();
    for id in ids {
        let one = named(&all, id)?;
        if !meant.iter().any(|other| other.file == one.file) {
            may_come_back(workspace, one)?;
            meant.push(one);
        }
    }
    bring_back_all(workspace, meant, written)
}

/// Restores all threads of a removed worktree, given by its branch, its directory name or its path.
///
/// A thread that is in the store is merged. One that cannot be merged is skipped, and is an error after the others are restored.
pub fn restore_worktree(
    workspace: &Workspace,
    name: &str,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace);
    bring_back_all(workspace, of_worktree(&all, name)?, written)
}

/// Moves all copies of a removed worktree to the trash, so that it is no longer reported.
pub fn dismiss_worktree(
    workspace: &Workspace,
    name: &str,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let env = &workspace.env;
    let stamp = run_stamp(env, [&workspace.reviews]);
    for one in of_worktree(&deleted(workspace), name)? {
        let former = if one.draft { Former::Draft } else { Former::Thread };
        let thread = ThreadRef { reviews: workspace.reviews.clone(), path: one.file.clone() };
        let guard = lock(&*env.fs, one.file.parent().unwrap_or(&one.file), LOCK_TIMEOUT)?;
        let doc = thread.parse(read(&one.file)?.bytes).0;
        let trash = trash(env, &workspace.reviews, former);
        move_to_trash(&*env.fs, &guard, &trash, &one.file, &stamp)?;
        written.push(from_doc(&thread, &doc, WriteAction::Deleted));
    }
    Ok(())
}

/// Returns the threads of a removed worktree.
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

/// Checks that no other thread has the id; an earlier attempt may have created the same file.
///
/// A thread of a removed worktree may be merged with the existing version.
fn may_come_back(workspace: &Workspace, one: &Deleted) -> Result<(), RestoreError> {
    let thread = target(workspace, one);
    let Ok(there) = read(&thread.path) else { return Ok(()) };
    let trashed = read(&one.file)?;
    let can_merge = || can_merge(&thread, one, &there.bytes, &trashed.bytes);
    if there.revision == trashed.revision || can_merge() {
        return Ok(());
    }
    Err(RestoreError::Exists { id: one.id.clone() })
}

/// Returns the thread that a deleted one is restored as.
fn target(workspace: &Workspace, one: &Deleted) -> ThreadRef {
    let dir = if one.draft { drafts::dir(workspace) } else { workspace.reviews.threads() };
    ThreadRef { reviews: workspace.reviews.clone(), path: dir.join(format!("{}.md", one.id)) }
}

/// Returns whether a thread of a removed worktree can be merged with the existing one.
fn can_merge(thread: &ThreadRef, one: &Deleted, there: &[u8], copy: &[u8]) -> bool {
    one.removed_worktree.is_some() && merged(thread, there, copy).is_some()
}

/// Restores all threads that the last command deleted; `written` lists the restored ones even if a later one fails.
pub fn restore_last(
    workspace: &Workspace,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let all = deleted(workspace);
    let all: Vec<Deleted> = all.into_iter().filter(|one| one.removed_worktree.is_none()).collect();
    let Some(last) = all.first() else { return Ok(()) };
    let same_run = |one: &&Deleted| (&one.deleted, one.run) == (&last.deleted, last.run);
    // If there are two copies of a thread, one is restored.
    let mut seen = BTreeSet::new();
    let meant = all.iter().filter(same_run);
    let meant = meant.filter(|one| seen.insert((one.draft, &one.id)));
    bring_back_all(workspace, meant.collect(), written)
}

/// Restores the threads of each directory under one lock, threads before drafts.
///
/// An existing thread does not prevent restoring the others.
fn bring_back_all(
    workspace: &Workspace,
    mut meant: Vec<&Deleted>,
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let origin = |one: &Deleted| (one.draft, one.file.parent().map(Path::to_owned));
    meant.sort_by_key(|one| origin(one));
    let mut exists = Ok(());
    for group in meant.chunk_by(|one, other| origin(one) == origin(other)) {
        match bring_back(workspace, group, written) {
            Err(error @ RestoreError::Exists { .. }) => exists = exists.and(Err(error)),
            done => done?,
        }
    }
    exists
}

/// Restores either threads or drafts.
fn bring_back(
    workspace: &Workspace,
    meant: &[&Deleted],
    written: &mut Vec<WriteResult>,
) -> Result<(), RestoreError> {
    let Some(first) = meant.first() else { return Ok(()) };
    let guard = match first.draft {
        true => open::drafts(workspace)?,
        false => open::ensure(workspace)?.guard,
    };
    let trash = first.file.parent().unwrap_or(&first.file);
    let trash = lock(&*workspace.env.fs, trash, LOCK_TIMEOUT)?;
    let mut restored = Vec::new();
    let mut failed = Ok(());
    for one in meant {
        let thread = target(workspace, one);
        match take_out(&workspace.env, (&guard, &trash), one, &thread) {
            Ok(Some((doc, diagnostics))) => {
                let mut done = Written::new(thread, doc, WriteAction::Restored);
                done.report(diagnostics);
                restored.push(done);
            }
            Ok(None) => failed = failed.and(Err(RestoreError::Exists { id: one.id.clone() })),
            Err(error) => {
                failed = Err(error.into());
                break;
            }
        }
    }
    index::follow_written(workspace, &guard, &mut restored);
    drop((guard, trash));
    written.extend(placed(workspace, &restored));
    failed
}

/// Creates the file again, then removes it from the trash; none if another thread has the id.
fn take_out(
    env: &Env,
    (guard, trash): (&DirLock, &DirLock),
    one: &Deleted,
    thread: &ThreadRef,
) -> Result<Option<UpdatedThread>, WriteError> {
    let trashed = read(&one.file)?;
    let mode = if one.draft { 0o600 } else { 0o666 };
    let there = match create_new(&*env.fs, guard, &thread.path, &trashed.bytes, mode) {
        Ok(_) => None,
        Err(CreateError::Exists { .. }) => Some(read(&thread.path)?),
        Err(error) => return Err(error.into()),
    };
    let done = match there {
        // An earlier attempt may have created the same file.
        Some(there) if there.bytes != trashed.bytes => {
            if !can_merge(thread, one, &there.bytes, &trashed.bytes) {
                return Ok(None);
            }
            merge_into(env, thread, guard, &trashed.bytes)?
        }
        _ => (thread.parse(trashed.bytes.clone()).0, Vec::new()),
    };
    remove(&*env.fs, trash, &one.file, &trashed.revision)?;
    Ok(Some(done))
}

/// Returns the last deleted thread with an id, or with a unique prefix of one.
fn named<'a>(all: &'a [Deleted], id: &str) -> Result<&'a Deleted, RestoreError> {
    let hits = matching(id, all, |one| (Kind::Review, &one.id));
    let first = hits.first().ok_or_else(|| RestoreError::None { id: id.to_owned() })?;
    let mut candidates: Vec<String> = hits.iter().map(|one| one.id.clone()).collect();
    candidates.dedup();
    match candidates.len() {
        1 => Ok(first),
        _ => Err(RestoreError::Ambiguous { id: id.to_owned(), candidates }),
    }
}

//! Opens the store of review threads for writing.

use std::path::PathBuf;
use std::time::Duration;

use skein_catalog::{ThreadRef, drafts};
use skein_format::diagnostic::Code;
use skein_store::{CreateError, DirLock, create_new, ensure_dir, lock, lock_written};
use skein_workspace::update::{LockedStore, clear_leftovers};
use skein_workspace::{Env, ReviewStore, Workspace};

use super::exclude;
use super::update::is_complete;
use super::write_error::WriteError;

/// The content of `AGENTS.md` in a store, for agents that find the store.
pub const AGENTS_TEXT: &str = include_str!("agents.md");

/// Many writers may wait, each for some milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// Locks an existing store.
pub fn existing(env: &Env, reviews: &ReviewStore) -> Result<DirLock, WriteError> {
    Ok(lock(&*env.fs, &reviews.store(), LOCK_TIMEOUT)?)
}

/// Locks the directory that a thread file is written in: its store, or the drafts.
pub(crate) fn of_thread(env: &Env, thread: &ThreadRef) -> Result<DirLock, WriteError> {
    match thread.path.parent().filter(|_| !thread.is_published()) {
        Some(dir) => Ok(lock(&*env.fs, dir, LOCK_TIMEOUT)?),
        None => existing(env, &thread.reviews),
    }
}

/// Locks the directory of a thread file when no other program seems to be writing the file.
pub(crate) fn of_written_thread(env: &Env, thread: &ThreadRef) -> Result<DirLock, WriteError> {
    let store = thread.reviews.store();
    let dir = thread.path.parent().filter(|_| !thread.is_published()).unwrap_or(&store);
    let is_complete = |bytes: &[u8]| is_complete(bytes, thread);
    lock_written(&*env.fs, dir, &thread.path, &is_complete, LOCK_TIMEOUT)
}

/// Locks the drafts, creating their directory if it is missing.
pub(crate) fn drafts(workspace: &Workspace) -> Result<DirLock, WriteError> {
    let dir = drafts::dir(workspace);
    ensure_dir(&*workspace.env.fs, &dir, 0o700)?;
    let guard = lock(&*workspace.env.fs, &dir, Duration::from_secs(10))?;
    clear_leftovers(&workspace.env, &guard);
    Ok(guard)
}

/// Locks the store, and creates it if there is none.
pub fn ensure(workspace: &Workspace) -> Result<LockedStore, WriteError> {
    let env = &workspace.env;
    let reviews = &workspace.reviews;
    if reviews.exists {
        ensure_dir(&*env.fs, &reviews.threads(), 0o777)?;
        return Ok(LockedStore { guard: existing(env, reviews)?, notes: Vec::new() });
    }
    may_create(workspace)?;
    ensure_dir(&*env.fs, &reviews.threads(), 0o777)?;
    let guard = existing(env, reviews)?;
    add_agents_text(env, &guard, reviews)?;
    let mut notes = vec![format!("Created the store: {}", reviews.store().display())];
    notes.extend(exclude::hide(workspace)?);
    Ok(LockedStore { guard, notes })
}

/// Writes `AGENTS.md` to a locked store that has none.
pub fn add_agents_text(
    env: &Env,
    guard: &DirLock,
    reviews: &ReviewStore,
) -> Result<(), CreateError> {
    let path = reviews.store().join("AGENTS.md");
    match create_new(&*env.fs, guard, &path, AGENTS_TEXT.as_bytes(), 0o666) {
        Ok(_) | Err(CreateError::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Checks that a missing store can be created: not in a bare repository, and not over other files.
pub(crate) fn may_create(workspace: &Workspace) -> Result<(), WriteError> {
    if workspace.reviews.exists {
        return Ok(());
    }
    let (path, root) = (workspace.reviews.store(), workspace.reviews.root.clone());
    if workspace.git.as_ref().is_some_and(|git| git.top.is_none()) {
        return Err(WriteError::Bare { dir: root });
    }
    let with_code =
        |code: Code| workspace.diagnostics.iter().filter(move |diag| diag.code == code.as_str());
    if with_code(Code::StoreNotOwned).any(|diag| diag.path == path.display().to_string()) {
        return Err(WriteError::NotOwned { path, root });
    }
    match with_code(Code::StoreForeign).next() {
        Some(diag) => {
            let (path, reason) = (PathBuf::from(&diag.path), diag.message.clone());
            Err(WriteError::ForeignStore { path, reason })
        }
        None => Ok(()),
    }
}

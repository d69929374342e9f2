//! Acquires and releases resume locks, so that two sessions do not work on one checkpoint.
//!
//! The lock file is the one of the program that defined the format, with two more members. It is advisory: it does not
//! prevent reading or writing a checkpoint.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::checkpoint_state::States;
use skein_catalog::find::find_checkpoint;
use skein_catalog::resume_lock::{LockFile, holder, lock_path, no_session, relative_path};
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::is_final;
use skein_format::redact::redact;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::ResumeLockHolder;
use skein_store::{
    DirLock, Edit, ReadError, Snapshot, ensure_dir, lock, remove, remove_empty_dir, replace,
};
use skein_workspace::update::Document;
use skein_workspace::{Env, FileError, Workspace, local};

use super::error::{CheckpointError, ResumeLockError};
use super::store_lock::{copy_up, locked};

const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Who takes a piece of work, and how.
#[derive(Clone, Debug)]
pub struct ResumeLockRequest {
    /// The name to sign with.
    pub name: String,
    /// Whether that is an agent, of whom several may have the same name.
    pub agent: bool,
    /// The session, where it is known.
    pub session: Option<String>,
    /// For how long.
    pub lasts: Duration,
}

/// Work that was taken or released.
#[derive(Clone, Debug, Serialize)]
pub struct ResumeLockChange {
    /// The checkpoint.
    pub id: String,
    /// What was done: `taken`, `renewed`, `taken-over` or `released`.
    pub action: &'static str,
    /// Who has it; none if it was released.
    pub holder: Option<ResumeLockHolder>,
    /// How often it was taken.
    pub generation: u64,
}

/// Returns the lock of an owner who takes a checkpoint now.
fn lock_of(id: &str, owner: &ResumeLockRequest, generation: u64, now: Time) -> LockFile {
    let lasts = i64::try_from(owner.lasts.as_millis()).unwrap_or(i64::MAX);
    let until = Time::from_millis(now.as_millis().saturating_add(lasts));
    let clean = |text: &str| Value::from(redact(text).into_owned());
    LockFile {
        version: Value::from(1),
        thread_id: Value::from(id),
        session_id: clean(owner.session.as_deref().unwrap_or(&no_session(&owner.name))),
        resumed_at: Value::from(now.to_string()),
        resumed_epoch: Value::from(now.as_millis().div_euclid(1000)),
        generation: Value::from(generation.to_string()),
        expires_at: Value::from(until.to_string()),
        taken_by: clean(&owner.name),
    }
}

/// Returns whether the owner is the one who holds a lock.
///
/// Sessions are compared where both are known. Two agents of one name cannot be told apart.
fn is_held_by(holder: &ResumeLockHolder, owner: &ResumeLockRequest) -> bool {
    match (&holder.session_id, &owner.session) {
        (Some(held), Some(own)) => held == own,
        (None, None) => !owner.agent && holder.by.as_deref() == Some(owner.name.as_str()),
        _ => false,
    }
}

/// Takes a piece of work; the current holder renews it.
///
/// If several try at the same time, one succeeds. `force` takes it from another holder.
pub fn acquire(
    workspace: &Workspace,
    env: &Env,
    id: &str,
    owner: &ResumeLockRequest,
    force: bool,
) -> Result<ResumeLockChange, ResumeLockError> {
    let Opened { id, thread, guard, path, .. } = &open(workspace, env, id)?;
    if let Some(status) = ended(workspace, env, thread).filter(|_| !force) {
        return Err(ResumeLockError::Ended { id: id.clone(), status });
    }
    let elsewhere = holder_elsewhere(workspace, id, env.clock.now());
    ensure_dir(&*env.fs, path.parent().unwrap_or(path), 0o777)?;
    let document = Document {
        is_complete: &|bytes| serde_json::from_slice::<LockFile>(bytes).is_ok(),
        ..Document::new(guard, path, 0o666)
    };
    let updated = document.update(env, |bytes| {
        let now = env.clock.now();
        let old = bytes.map(LockFile::parse);
        let record = old.clone().unwrap_or_default();
        let held = old.as_ref().map(LockFile::holder).filter(|holder| holder.until > now);
        let held = held.or_else(|| elsewhere.clone());
        let action = match &held {
            None => "taken",
            Some(holder) if is_held_by(holder, owner) => "renewed",
            Some(_) if force => "taken-over",
            Some(holder) => {
                return Err(ResumeLockError::Held {
                    id: id.clone(),
                    holder: Box::new(holder.clone()),
                });
            }
        };
        let generation = record.generation().saturating_add(1);
        let next = lock_of(id, owner, generation, now);
        let holder = Some(next.holder());
        Ok(Edit::Write(
            next.to_bytes()?,
            ResumeLockChange { id: id.clone(), action, holder, generation },
        ))
    })?;
    Ok(updated.value)
}

/// Releases a piece of work.
pub fn release(
    workspace: &Workspace,
    env: &Env,
    id: &str,
    owner: &ResumeLockRequest,
    force: bool,
) -> Result<ResumeLockChange, ResumeLockError> {
    let opened = open(workspace, env, id)?;
    let id = opened.id.clone();
    let Some(lock) = current(&opened.path)? else { return Err(ResumeLockError::Free { id }) };
    let (holder, generation) = (lock.1.holder(), lock.1.generation());
    if holder.until > env.clock.now() && !is_held_by(&holder, owner) && !force {
        return Err(ResumeLockError::Held { id, holder: Box::new(holder) });
    }
    drop_lock(workspace, env, &opened, &lock)?;
    Ok(ResumeLockChange { id, action: "released", holder: None, generation })
}

/// Releases the work of a checkpoint that has ended, whichever session took it.
pub(super) fn end(workspace: &Workspace, env: &Env, id: &str) -> Result<(), CheckpointError> {
    if holder(&workspace.checkpoints, id, env.clock.now()).is_none() {
        return Ok(());
    }
    let drop_current = || {
        let opened = open(workspace, env, id)?;
        match current(&opened.path)? {
            Some(lock) => drop_lock(workspace, env, &opened, &lock),
            None => Ok(()),
        }
    };
    drop_current().map_err(|error| CheckpointError::StillTaken(Box::new(error)))
}

fn drop_lock(
    workspace: &Workspace,
    env: &Env,
    Opened { id, guard, path, .. }: &Opened,
    (snapshot, record): &(Snapshot, LockFile),
) -> Result<(), ResumeLockError> {
    if lock_path(&workspace.checkpoints, id).exists() && workspace.checkpoints.local.is_some() {
        // The lock in the store cannot be removed from here: one that is over hides it.
        let over =
            LockFile { expires_at: Value::from(env.clock.now().to_string()), ..record.clone() };
        replace(&*env.fs, guard, path, &snapshot.revision, &over.to_bytes()?)?;
        return Ok(());
    }
    remove(&*env.fs, guard, path, &snapshot.revision)?;
    // A folder that stays, because another program put something into it, does no harm.
    if let Some(dir) = path.parent() {
        drop(remove_empty_dir(dir));
    }
    Ok(())
}

/// Returns how the work of a checkpoint ended; none where it has not.
fn ended(workspace: &Workspace, env: &Env, (form, path): &CheckpointFile) -> Option<String> {
    let bytes = skein_store::read(path).ok()?.bytes;
    let mut row = row(&bytes, path, *form);
    States::read(&workspace.checkpoints, env.clock.now()).mark(&mut row);
    let is_over = row.checkpoint().is_some_and(|detail| detail.is_over);
    row.status.filter(|status| is_over && is_final(status)).map(String::from)
}

/// A checkpoint that is taken or released.
struct Opened {
    id: String,
    thread: CheckpointFile,
    guard: DirLock,
    /// The lock of a store that can only be read: of two agents in sandboxes one gets the work.
    _store: Option<DirLock>,
    /// The lock file of the checkpoint.
    path: PathBuf,
}

/// Finds the checkpoint and takes the lock of the store.
fn open(workspace: &Workspace, env: &Env, id: &str) -> Result<Opened, ResumeLockError> {
    let thread = find_checkpoint(workspace, env, id)?;
    let checkpoints = &workspace.checkpoints;
    if !checkpoints.exists {
        return Err(ResumeLockError::NoStore { path: checkpoints.threads() });
    }
    let id = stem(&thread.1);
    let read_only = checkpoints.local.as_ref().map(|_| checkpoints.threads());
    let read_only = read_only.filter(|dir| dir.is_dir());
    let store = read_only.map(|dir| lock(&*env.fs, &dir, LOCK_TIMEOUT)).transpose()?;
    let guard = locked(env, checkpoints, LOCK_TIMEOUT)?;
    let path = lock_path(checkpoints, &id);
    check_links(&checkpoints.root, &path)?;
    let path = copy_up(env, checkpoints, &guard, &path)?;
    if let Some(root) = checkpoints.local.as_deref().and_then(Path::parent) {
        check_links(root, &path)?;
    }
    Ok(Opened { id, thread, guard, _store: store, path })
}

/// Returns who has taken a checkpoint in a sandbox in another worktree, where the store cannot be written from here.
fn holder_elsewhere(workspace: &Workspace, id: &str, now: Time) -> Option<ResumeLockHolder> {
    let own = workspace.checkpoints.local.as_ref()?;
    let worktrees = workspace.git.as_ref()?.worktrees();
    let dirs = worktrees.iter().filter(|worktree| local::existing(&worktree.top).is_some());
    let dirs = dirs.map(|worktree| local::checkpoints(&worktree.top)).filter(|dir| dir != own);
    let locks =
        dirs.filter_map(|dir| Some(skein_store::read(&dir.join(relative_path(id))).ok()?.bytes));
    locks.map(|bytes| LockFile::parse(&bytes).holder()).find(|holder| holder.until > now)
}

/// Makes sure that no link of a stranger's repository has another file changed.
fn check_links(root: &Path, lock: &Path) -> Result<(), ResumeLockError> {
    let below = lock.ancestors().take_while(|path| *path != root);
    match below.into_iter().find(|path| path.is_symlink()) {
        Some(path) => Err(FileError::Link { path: path.to_owned() }.into()),
        None => Ok(()),
    }
}

/// Reads the lock.
fn current(path: &Path) -> Result<Option<(Snapshot, LockFile)>, ReadError> {
    match skein_store::read(path) {
        Ok(snapshot) => {
            let record = LockFile::parse(&snapshot.bytes);
            Ok(Some((snapshot, record)))
        }
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

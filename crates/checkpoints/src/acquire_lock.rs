//! Acquires and releases resume locks, so that two sessions do not work on one checkpoint.
//!
//! The lock file has the format of the program that defined it, with two added members. It is advisory: it does not prevent reading or
//! writing a checkpoint.

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
use skein_workspace::{FileError, SandboxDir, Workspace};

use super::error::{CheckpointError, ResumeLockError};
use super::store_lock::{copy_up, locked};

const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// A request to lock a checkpoint.
#[derive(Clone, Debug)]
pub struct ResumeLockRequest {
    /// The name of the holder, written to the lock file.
    pub name: String,
    /// Whether the holder is an agent; several agents may have the same name.
    pub agent: bool,
    /// The id of the session, if known.
    pub session: Option<String>,
    /// The time until the lock expires.
    pub lasts: Duration,
}

skein_model::word_enum! {
    /// The change made to the lock of a checkpoint.
    ResumeLockAction {
        Taken = "taken",
        Renewed = "renewed",
        TakenOver = "taken-over",
        Released = "released",
    }
}

/// A lock that was acquired or released.
#[derive(Clone, Debug, Serialize)]
pub struct ResumeLockChange {
    /// The id of the checkpoint.
    pub id: String,
    pub action: ResumeLockAction,
    /// The holder; none if the lock was released.
    pub holder: Option<ResumeLockHolder>,
    /// The number of times the lock was acquired.
    pub generation: u64,
}

/// Returns the content of a lock file for `owner`, acquired at `now`.
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

/// Returns whether `owner` holds the lock.
///
/// Sessions are compared if both are known. Agents without a session id never match, because their names are not unique.
fn is_held_by(holder: &ResumeLockHolder, owner: &ResumeLockRequest) -> bool {
    match (&holder.session_id, &owner.session) {
        (Some(held), Some(own)) => held == own,
        (None, None) => !owner.agent && holder.by.as_deref() == Some(owner.name.as_str()),
        _ => false,
    }
}

/// Acquires the lock of a checkpoint; the current holder renews it.
///
/// If several processes try at the same time, one succeeds. `force` takes the lock from another holder.
pub fn acquire(
    workspace: &Workspace,
    id: &str,
    owner: &ResumeLockRequest,
    force: bool,
) -> Result<ResumeLockChange, ResumeLockError> {
    let env = &workspace.env;
    let Opened { id, thread, guard, path, .. } = &open(workspace, id)?;
    if let Some(status) = ended(workspace, thread).filter(|_| !force) {
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
            None => ResumeLockAction::Taken,
            Some(holder) if is_held_by(holder, owner) => ResumeLockAction::Renewed,
            Some(_) if force => ResumeLockAction::TakenOver,
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

/// Releases the lock of a checkpoint.
pub fn release(
    workspace: &Workspace,
    id: &str,
    owner: &ResumeLockRequest,
    force: bool,
) -> Result<ResumeLockChange, ResumeLockError> {
    let opened = open(workspace, id)?;
    let id = opened.id.clone();
    let Some(lock) = current(&opened.path)? else { return Err(ResumeLockError::Free { id }) };
    let (holder, generation) = (lock.1.holder(), lock.1.generation());
    if holder.until > workspace.env.clock.now() && !is_held_by(&holder, owner) && !force {
        return Err(ResumeLockError::Held { id, holder: Box::new(holder) });
    }
    drop_lock(workspace, &opened, &lock)?;
    let action = ResumeLockAction::Released;
    Ok(ResumeLockChange { id, action, holder: None, generation })
}

/// Releases the lock of a checkpoint whose work has ended, whichever session holds it.
pub(super) fn end(workspace: &Workspace, id: &str) -> Result<(), CheckpointError> {
    if holder(&workspace.checkpoints, id, workspace.env.clock.now()).is_none() {
        return Ok(());
    }
    let drop_current = || {
        let opened = open(workspace, id)?;
        match current(&opened.path)? {
            Some(lock) => drop_lock(workspace, &opened, &lock),
            None => Ok(()),
        }
    };
    drop_current().map_err(|error| CheckpointError::StillTaken(Box::new(error)))
}

fn drop_lock(
    workspace: &Workspace,
    Opened { id, guard, path, .. }: &Opened,
    (snapshot, record): &(Snapshot, LockFile),
) -> Result<(), ResumeLockError> {
    if lock_path(&workspace.checkpoints, id).exists() && workspace.checkpoints.local.is_some() {
        // The lock file in the store cannot be removed from here; an expired local copy hides it.
        let over = LockFile {
            expires_at: Value::from(workspace.env.clock.now().to_string()),
            ..record.clone()
        };
        replace(&*workspace.env.fs, guard, path, &snapshot.revision, &over.to_bytes()?)?;
        return Ok(());
    }
    remove(&*workspace.env.fs, guard, path, &snapshot.revision)?;
    // The directory is kept if another program created files in it.
    if let Some(dir) = path.parent() {
        drop(remove_empty_dir(dir));
    }
    Ok(())
}

/// Returns the final status of a checkpoint; none if its work has not ended.
fn ended(workspace: &Workspace, (form, path): &CheckpointFile) -> Option<String> {
    let bytes = skein_store::read(path).ok()?.bytes;
    let mut row = row(&bytes, path, *form);
    States::read(&workspace.checkpoints, workspace.env.clock.now()).mark(&mut row);
    let is_over = row.checkpoint().is_some_and(|detail| detail.is_over);
    row.status.filter(|status| is_over && is_final(status)).map(String::from)
}

/// A checkpoint whose lock is acquired or released.
struct Opened {
    id: String,
    thread: CheckpointFile,
    guard: DirLock,
    /// The lock of a read-only store, so that only one of two sandboxed agents acquires the checkpoint.
    _store: Option<DirLock>,
    /// The lock file of the checkpoint.
    path: PathBuf,
}

/// Finds the checkpoint and locks the store.
fn open(workspace: &Workspace, id: &str) -> Result<Opened, ResumeLockError> {
    let thread = find_checkpoint(workspace, id)?;
    let checkpoints = &workspace.checkpoints;
    if !checkpoints.exists {
        return Err(ResumeLockError::NoStore { path: checkpoints.threads() });
    }
    let id = stem(&thread.1);
    let read_only = checkpoints.local.as_ref().map(|_| checkpoints.threads());
    let read_only = read_only.filter(|dir| dir.is_dir());
    let store = read_only.map(|dir| lock(&*workspace.env.fs, &dir, LOCK_TIMEOUT)).transpose()?;
    let guard = locked(workspace, LOCK_TIMEOUT)?;
    let path = lock_path(checkpoints, &id);
    check_links(&checkpoints.root, &path)?;
    let path = copy_up(workspace, &guard, &path)?;
    if let Some(root) = checkpoints.local.as_deref().and_then(Path::parent) {
        check_links(root, &path)?;
    }
    Ok(Opened { id, thread, guard, _store: store, path })
}

/// Returns the holder recorded by a sandboxed session in another worktree, if the store cannot be written from here.
fn holder_elsewhere(workspace: &Workspace, id: &str, now: Time) -> Option<ResumeLockHolder> {
    let own = workspace.checkpoints.local.as_ref()?;
    let worktrees = workspace.git.as_ref()?.worktrees();
    let dirs = worktrees.iter().filter_map(|worktree| SandboxDir::open(&worktree.top));
    let dirs = dirs.filter_map(|dir| dir.checkpoints().ok()?).filter(|dir| dir.path() != own);
    let locks = dirs.filter_map(|dir| dir.read(relative_path(id)).ok());
    locks.map(|bytes| LockFile::parse(&bytes).holder()).find(|holder| holder.until > now)
}

/// Refuses symbolic links below `root`, so that an untrusted repository cannot redirect the write.
fn check_links(root: &Path, lock: &Path) -> Result<(), ResumeLockError> {
    let below = lock.ancestors().take_while(|path| *path != root);
    match below.into_iter().find(|path| path.is_symlink()) {
        Some(path) => Err(FileError::Link { path: path.to_owned() }.into()),
        None => Ok(()),
    }
}

/// Reads the lock file; none if there is none.
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

//! Decides which hook writes the checkpoint of a commit.
//!
//! A claim is a file that is empty until the checkpoint is written and then contains its id. A hook may be killed at any moment, and a
//! checkpoint may be deleted: a claim without a checkpoint, a record of what is left to finish, or a running hook is taken over.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::checkpoint_lookup;
use skein_format::checkpoint::{CheckpointFileKind, is_thread_file};
use skein_git::CommitId;
use skein_store::{CreateError, create_marker, ensure_dir, lock, remove_marker, write_private};
use skein_workspace::kept_state::entries;
use skein_workspace::{Env, Workspace};

use super::error::CheckpointError;
use super::open::read_head;
use super::{cleanup, unfinished_record};

const DIRECTORY: &str = "commits";
/// The number of claims from which old ones are removed, and their age.
const CLEANUP_THRESHOLD: usize = 500;
const OLD: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// A hook that has not written after this time was stopped; it waits for locks for at most half of it.
const SLOWEST: Duration = Duration::from_secs(10);
/// How long a hook waits for the lock to take over such a claim.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The right to write the checkpoint of a commit.
pub(super) struct CommitClaim(PathBuf);

impl CommitClaim {
    /// Releases the claim, so that another hook can write the checkpoint.
    pub(super) fn give_up(self, env: &Env) {
        // If the claim cannot be removed, it is taken over after `SLOWEST`.
        drop(remove_marker(&*env.fs, &self.0));
    }

    /// Writes the id of the checkpoint to the claim.
    pub(super) fn keep(self, env: &Env, id: &str) {
        write_id(env, &self.0, id);
    }
}

/// Writes the id of a checkpoint to the claim of its commit, which another process made and did not live to complete.
pub(super) fn keep_id(workspace: &Workspace, commit: &CommitId, id: &str) {
    write_id(&workspace.env, &directory(workspace).join(commit.as_str()), id);
}

fn write_id(env: &Env, claim: &Path, id: &str) {
    let Some(guard) = claim.parent().and_then(|dir| lock(&*env.fs, dir, LOCK_TIMEOUT).ok()) else {
        return;
    };
    // A hook that finds an empty claim searches the store for the checkpoint.
    drop(write_private(&*env.fs, &guard, claim, format!("{id}\n").as_bytes()));
}

fn directory(workspace: &Workspace) -> PathBuf {
    workspace.worktree_dirs().state.join(DIRECTORY)
}

/// Claims a commit; none if another hook has already claimed it.
pub(super) fn commit(
    workspace: &Workspace,
    id: &CommitId,
) -> Result<Option<CommitClaim>, CheckpointError> {
    let env = &workspace.env;
    let dir = directory(workspace);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let path = dir.join(id.as_str());
    let failed = |source| CreateError::Failed { path: path.clone(), source };
    if create_marker(&*env.fs, &path, 0o600).map_err(failed)? {
        prune(env, &dir);
        return Ok(Some(CommitClaim(path)));
    }
    let is_void = || is_void(workspace, &path, id);
    if !is_void() {
        return Ok(None);
    }
    // The first hook takes over the claim; the others then find the new one.
    let _guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    if !is_void() {
        return Ok(None);
    }
    remove_marker(&*env.fs, &path).map_err(failed)?;
    Ok(create_marker(&*env.fs, &path, 0o600).map_err(failed)?.then_some(CommitClaim(path)))
}

/// Returns whether a claim has neither a checkpoint nor a hook that may still write one.
fn is_void(workspace: &Workspace, path: &Path, id: &CommitId) -> bool {
    let Ok(snapshot) = skein_store::read(path) else { return false };
    let text = String::from_utf8_lossy(&snapshot.bytes);
    match text.trim() {
        "" => {
            age(path).is_some_and(|age| age > SLOWEST)
                && !unfinished_record::has_commit(workspace, id)
                && !is_written(workspace, id)
        }
        thread => {
            let checkpoints = &workspace.checkpoints;
            checkpoint_lookup::exact(checkpoints, thread).is_none()
                && !cleanup::is_in_trash(workspace, thread)
        }
    }
}

/// Removes old claims.
fn prune(env: &Env, dir: &Path) {
    let Ok(entries) = dir.read_dir() else { return };
    let all: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    if all.len() < CLEANUP_THRESHOLD {
        return;
    }
    for path in all.iter().filter(|path| age(path).is_some_and(|age| age > OLD)) {
        // If it cannot be removed, the next call tries again.
        drop(remove_marker(&*env.fs, path));
    }
}

fn age(path: &Path) -> Option<Duration> {
    path.metadata().ok()?.modified().ok()?.elapsed().ok()
}

/// The trigger of a checkpoint about a commit.
const TRIGGER: &str = "git-commit";
/// Maximum number of checkpoints that are read, latest first.
const MAX_CHECKPOINTS: usize = 20;

/// Returns whether one of the latest checkpoints is about this commit.
pub(super) fn is_written(workspace: &Workspace, commit: &CommitId) -> bool {
    let checkpoints = &workspace.checkpoints;
    let names = checkpoints.thread_dirs().into_iter().flat_map(|dir| entries(&dir));
    let mut names: Vec<String> = names.filter(|name| is_thread_file(name)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let heads = names.iter().take(MAX_CHECKPOINTS).filter_map(|name| {
        let head = read_head(&(CheckpointFileKind::Thread, checkpoints.file(name)))?;
        head.git.filter(|_| head.trigger.as_deref() == Some(TRIGGER))?.current_commit
    });
    heads.into_iter().any(|current| current == commit.short())
}

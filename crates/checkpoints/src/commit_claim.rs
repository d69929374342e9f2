//! Which hook writes the checkpoint of a commit.
//!
//! A claim is a file that is empty until the checkpoint is there, and then says which one it is. A hook may be ended
//! at any moment, and a checkpoint may be deleted: a claim without a checkpoint or a running hook is taken over.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::checkpoint_lookup;
use skein_format::checkpoint::{CheckpointFileKind, is_thread_file};
use skein_git::CommitId;
use skein_store::{CreateError, create_marker, ensure_dir, lock, remove_marker, write_private};
use skein_workspace::kept_state::entries;
use skein_workspace::{Env, Workspace};

use super::cleanup;
use super::error::CheckpointError;
use super::open::read_head;

const DIRECTORY: &str = "commits";
/// How many claims are kept before the old ones go, and how old those are.
const CLEANUP_THRESHOLD: usize = 500;
const OLD: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// A hook that has not written after this time was stopped; it waits for locks for at most half of it.
const SLOWEST: Duration = Duration::from_secs(10);
/// How long a hook waits for the lock to take over such a claim.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The right to write the checkpoint of a commit, until it is given up.
pub(super) struct CommitClaim(PathBuf);

impl CommitClaim {
    /// Lets another hook write the checkpoint, because this one could not.
    pub(super) fn give_up(self, env: &Env) {
        // A claim that stays is taken over before long.
        drop(remove_marker(&*env.fs, &self.0));
    }

    /// Says which checkpoint was written.
    pub(super) fn keep(self, env: &Env, id: &str) {
        let Some(guard) = self.0.parent().and_then(|dir| lock(&*env.fs, dir, LOCK_TIMEOUT).ok())
        else {
            return;
        };
        // A hook that finds the claim empty looks for the checkpoint itself.
        drop(write_private(&*env.fs, &guard, &self.0, format!("{id}\n").as_bytes()));
    }
}

/// Claims a commit; none where another hook did before.
pub(super) fn commit(
    workspace: &Workspace,
    env: &Env,
    id: &CommitId,
) -> Result<Option<CommitClaim>, CheckpointError> {
    let dir = workspace.worktree_dirs(env).state.join(DIRECTORY);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let path = dir.join(id.as_str());
    let failed = |source| CreateError::Failed { path: path.clone(), source };
    if create_marker(&*env.fs, &path, 0o600).map_err(failed)? {
        prune(env, &dir);
        return Ok(Some(CommitClaim(path)));
    }
    let is_void = || is_void(workspace, env, &path, id);
    if !is_void() {
        return Ok(None);
    }
    // The first hook takes it over; the others then find its claim.
    let _guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    if !is_void() {
        return Ok(None);
    }
    remove_marker(&*env.fs, &path).map_err(failed)?;
    Ok(create_marker(&*env.fs, &path, 0o600).map_err(failed)?.then_some(CommitClaim(path)))
}

/// Returns whether a claim has neither a checkpoint nor a hook that may still write one.
fn is_void(workspace: &Workspace, env: &Env, path: &Path, id: &CommitId) -> bool {
    let Ok(snapshot) = skein_store::read(path) else { return false };
    let text = String::from_utf8_lossy(&snapshot.bytes);
    match text.trim() {
        "" => age(path).is_some_and(|age| age > SLOWEST) && !is_written(workspace, id),
        thread => {
            let checkpoints = &workspace.checkpoints;
            checkpoint_lookup::exact(checkpoints, thread).is_none()
                && !cleanup::is_in_trash(workspace, env, thread)
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
        // One that stays is tried again the next time.
        drop(remove_marker(&*env.fs, path));
    }
}

fn age(path: &Path) -> Option<Duration> {
    path.metadata().ok()?.modified().ok()?.elapsed().ok()
}

/// What sets off the checkpoint of a commit.
const TRIGGER: &str = "git-commit";
/// How many checkpoints are looked at, the latest first.
const MAX_CHECKPOINTS: usize = 20;

/// Returns whether one of the latest checkpoints is that of a commit.
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

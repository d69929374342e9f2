//! Pending checkpoints: files in a worktree, written there because the store was read-only.
//!
//! A file in `.skein/checkpoints` is a new checkpoint, or a changed copy of one in the store. `.skein/bases` has the content of the
//! store when the copy was made, as the base for a merge.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::resume_lock::LOCKS;
use skein_catalog::{resume_lock, worktree_copy};
use skein_format::checkpoint::{HandoffDoc, is_thread_file, merge};
use skein_git::RepoDirs;
use skein_model::normalize_path::stem;
use skein_store::{
    DirLock, Edit, ReadError, Revision, copy_to_trash, ensure_dir, lock, read, remove,
    remove_empty_dir,
};
use skein_workspace::kept_state::{DELETED_REVIEWS, entries, move_kept};
use skein_workspace::update::{Document, clear_leftovers};
use skein_workspace::{Env, Workspace, discover, discover_in, local};

use super::error::CheckpointError;
use super::store_lock::inside;
use super::{cleanup, index_files, open};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Moves the pending files of all worktrees of a repository to their destination, if it can be written now.
///
/// Returns none if nothing is pending, else the errors; the next command tries again.
pub fn catch_up(workspace: &Workspace) -> Option<Vec<CheckpointError>> {
    let env = &workspace.env;
    let worktrees = workspace.git.as_ref().map(RepoDirs::worktrees).unwrap_or_default();
    let moved = worktrees.iter().filter_map(|worktree| catch_up_in(&worktree.top, env));
    let moved: Vec<_> = moved.collect();
    if moved.is_empty() {
        return None;
    }
    index_files::refresh_existing(&discover(env));
    Some(moved.into_iter().flatten().collect())
}

/// Moves only the pending files of this worktree, without updating the tables: for hooks, which have little time.
pub fn catch_up_here(workspace: &Workspace) -> Option<Vec<CheckpointError>> {
    catch_up_in(workspace.git.as_ref()?.top.as_deref()?, &workspace.env)
}

fn catch_up_in(top: &Path, env: &Env) -> Option<Vec<CheckpointError>> {
    let dir = local::dir(top);
    if env.dirs.read_only.is_some() || !dir.is_dir() || local::existing(top).is_none() {
        return None;
    }
    let mut failed = Vec::new();
    let (local, state) = (local::checkpoints(top), local::state(&dir));
    let mut is_found = false;
    if local.is_dir() {
        let there = discover_in(env, top);
        if there.checkpoints.local.is_none() {
            match move_checkpoints(&there, &local) {
                Ok(is_moved) => is_found |= is_moved,
                Err(error) => failed.push(error),
            }
        }
    }
    match move_state(env, top, &state) {
        Ok(is_moved) => is_found |= is_moved,
        Err(error) => failed.push(error),
    }
    (is_found || !failed.is_empty()).then_some(failed)
}

/// Moves drafts and deleted reviews to the user's state directory; false if there were none.
///
/// Claims and agent sessions are short-lived; they are read in place.
fn move_state(env: &Env, top: &Path, state: &Path) -> Result<bool, CheckpointError> {
    let mut is_moved = false;
    for root in entries(state) {
        let (from, to) = (state.join(&root), env.dirs.state.join(&root));
        is_moved |= move_kept(env, &from, &to, &mut |kind, name| {
            if kind == DELETED_REVIEWS {
                forget_copy(&discover_in(env, top), name);
            }
        })?;
    }
    Ok(is_moved)
}

/// Removes the copy of a review thread that was deleted; in the trash a timestamp precedes its name.
fn forget_copy(workspace: &Workspace, name: &str) {
    if let Some(name) = name.splitn(3, '-').nth(2) {
        worktree_copy::forget(workspace, &workspace.reviews.threads().join(name));
    }
}

/// Moves checkpoints to the store; false if there were none.
fn move_checkpoints(workspace: &Workspace, local: &Path) -> Result<bool, CheckpointError> {
    let files = files(local);
    let is_found = !files.is_empty();
    if is_found {
        let store = open::ensure(workspace)?.guard;
        let waiting = lock(&*workspace.env.fs, local, LOCK_TIMEOUT)?;
        let pending = Pending { workspace, local, store: &store, waiting: &waiting };
        for below in files {
            pending.catch_up(&below)?;
        }
        clear_leftovers(&workspace.env, &waiting);
    }
    for dir in [local.join(LOCKS), local.to_owned(), local::bases(local)] {
        // A directory that is not empty is kept.
        drop(remove_empty_dir(&dir));
    }
    Ok(is_found)
}

/// Returns the pending files, relative to `local`: threads first, then the pointer and the locks, which refer to them.
fn files(local: &Path) -> Vec<PathBuf> {
    let threads = entries(local).into_iter().filter(|name| is_thread_file(name)).map(PathBuf::from);
    let locks = entries(&local.join(LOCKS)).into_iter();
    let locks = locks.map(|name| Path::new(LOCKS).join(name).join("current.json"));
    let all = threads.chain([PathBuf::from(HandoffDoc::FILE_NAME)]).chain(locks);
    all.filter(|below| local.join(below).is_file()).collect()
}

/// Moves the pending files of a worktree to the store.
struct Pending<'a> {
    workspace: &'a Workspace,
    local: &'a Path,
    store: &'a DirLock,
    waiting: &'a DirLock,
}

impl Pending<'_> {
    /// Merges one file into the store, and removes it from the worktree once that is durable.
    fn catch_up(&self, below: &Path) -> Result<(), CheckpointError> {
        let from = self.local.join(below);
        let to = self.workspace.checkpoints.threads().join(below);
        let ours = read(&from)?.bytes;
        let base_file = local::bases(self.local).join(below);
        let base = match read(&base_file) {
            Ok(base) => Some(base.bytes),
            Err(ReadError::NotFound { .. }) => None,
            // A merge without the base would restore deleted content.
            Err(error) => return Err(error.into()),
        };
        inside(&self.workspace.checkpoints, &to)?;
        ensure_dir(&*self.workspace.env.fs, to.parent().unwrap_or(&to), 0o777)?;
        let stem = stem(&to);
        Document::new(self.store, &to, 0o666).update(&self.workspace.env, |theirs| {
            let Some(theirs) = theirs else { return Ok(Edit::Write(ours.clone(), ())) };
            let merged = self.merged(below, &stem, base.as_deref(), &ours, theirs);
            let Some(merged) = merged else {
                self.keep(&from, &ours)?;
                return Ok(Edit::Keep(()));
            };
            Ok::<_, CheckpointError>(match merged == theirs {
                true => Edit::Keep(()),
                false => Edit::Write(merged, ()),
            })
        })?;
        remove(&*self.workspace.env.fs, self.waiting, &from, &Revision::from_bytes(&ours))?;
        if let Some(base) = base {
            remove(
                &*self.workspace.env.fs,
                self.waiting,
                &base_file,
                &Revision::from_bytes(&base),
            )?;
        }
        for file in [&from, &base_file].into_iter().filter(|_| below.starts_with(LOCKS)) {
            // The directory of one lock; kept if it is not empty.
            let folder = file.parent().map(remove_empty_dir);
            drop(folder);
        }
        Ok(())
    }

    /// Returns the merged content; none if the two versions cannot be merged.
    fn merged(
        &self,
        below: &Path,
        stem: &str,
        base: Option<&[u8]>,
        ours: &[u8],
        theirs: &[u8],
    ) -> Option<Vec<u8>> {
        let is_thread_file = below.to_str().is_some_and(is_thread_file);
        let is_unchanged = base == Some(theirs);
        let ours_counts = if below.starts_with(LOCKS) {
            is_unchanged || resume_lock::is_over(theirs, self.workspace.env.clock.now())
        } else {
            let at = |bytes: &[u8]| HandoffDoc::parse(bytes.to_vec()).0.created_at;
            is_unchanged || at(ours) > at(theirs)
        };
        match is_thread_file {
            true => merge(base, ours, theirs, stem),
            false => Some(if ours_counts { ours } else { theirs }.to_vec()),
        }
    }

    /// Copies a version that cannot be merged to the trash.
    fn keep(&self, from: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
        let trash = cleanup::trash(self.workspace);
        let stamp = self.workspace.env.clock.now().compact();
        Ok(copy_to_trash(&*self.workspace.env.fs, &trash, from, bytes, &stamp).map(drop)?)
    }
}

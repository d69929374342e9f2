//! Pending checkpoints: files in a worktree, written there because the store was read-only.
//!
//! A file in `.skein/checkpoints` is a new checkpoint, or a changed copy of one in the store. `.skein/bases` has the content of the
//! store when the copy was made, as the base for a merge.
//!
//! Everything there was written by the agent in the worktree. What is not a checkpoint, a resume lock or a deleted thread of this
//! worktree stays where it is, and a file can only be removed from the directory that it was read from.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::resume_lock::{LOCKS, LockFile};
use skein_catalog::rows::checkpoint::row;
use skein_catalog::{resume_lock, worktree_copy};
use skein_format::checkpoint::{CheckpointFileKind, HandoffDoc, is_thread_file, merge};
use skein_format::review::ReviewDoc;
use skein_git::RepoDirs;
use skein_model::normalize_path::stem;
use skein_store::{
    CreateError, DirLock, Edit, OpenDir, ReadError, copy_to_trash, create_new, ensure_dir, lock,
};
use skein_workspace::kept_state::DELETED_REVIEWS;
use skein_workspace::update::Document;
use skein_workspace::{Env, SandboxDir, Workspace, discover, discover_in};

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
    if env.dirs.read_only.is_some() {
        return None;
    }
    let sandbox = SandboxDir::open(top)?;
    let there = discover_in(env, top);
    let mut failed = Vec::new();
    let mut is_found = false;
    for moved in [move_checkpoints(&there, &sandbox, &mut failed), move_deleted(&there, &sandbox)] {
        match moved {
            Ok(is_moved) => is_found |= is_moved,
            Err(error) => failed.push(error),
        }
    }
    (is_found || !failed.is_empty()).then_some(failed)
}

/// Moves deleted review threads to the user's trash; false if there were none.
///
/// Only those of the review store of the worktree are moved. Drafts stay in the sandbox: outside they would count as the user's.
fn move_deleted(workspace: &Workspace, sandbox: &SandboxDir) -> Result<bool, CheckpointError> {
    let env = &workspace.env;
    let own = workspace.dirs();
    let Some(deleted) = sandbox.records(&own, DELETED_REVIEWS)? else { return Ok(false) };
    let mut names = deleted.names()?;
    names.retain(|name| name.ends_with(".md") && deleted.has_file(name));
    if names.is_empty() {
        return Ok(false);
    }
    let _held = deleted.lock(LOCK_TIMEOUT)?;
    let trash = own.state.join(DELETED_REVIEWS);
    ensure_dir(&*env.fs, &trash, 0o700)?;
    let guard = lock(&*env.fs, &trash, LOCK_TIMEOUT)?;
    for name in names {
        let bytes = deleted.read(&name)?;
        // In the trash, a timestamp precedes the name of the thread.
        let thread = name.splitn(3, '-').nth(2).map(|name| workspace.reviews.threads().join(name));
        let is_thread = |thread: &PathBuf| {
            let store = &workspace.reviews.store_path;
            ReviewDoc::parse(bytes.clone(), &stem(thread), store).0.head().usable
        };
        let Some(thread) = thread.filter(is_thread) else {
            let reason = "not a deleted review thread of this worktree".to_owned();
            return Err(CheckpointError::Unusable { path: deleted.path().join(name), reason });
        };
        let to = trash.join(&name);
        match create_new(&*env.fs, &guard, &to, &bytes, 0o600) {
            // An earlier attempt was interrupted after the copy.
            Err(CreateError::Exists { .. }) if is_same(&to, &bytes) => {}
            created => drop(created?),
        }
        deleted.remove(&name, &bytes)?;
        worktree_copy::forget_same(workspace, &thread, &bytes);
    }
    Ok(true)
}

fn is_same(path: &Path, bytes: &[u8]) -> bool {
    skein_store::read(path).is_ok_and(|there| there.bytes == bytes)
}

/// Moves checkpoints to the store; false if there were none.
fn move_checkpoints(
    workspace: &Workspace,
    sandbox: &SandboxDir,
    failed: &mut Vec<CheckpointError>,
) -> Result<bool, CheckpointError> {
    let Some(local) = sandbox.checkpoints()?.filter(|_| workspace.checkpoints.local.is_none())
    else {
        return Ok(false);
    };
    let bases = sandbox.bases()?;
    let files = files(&local)?;
    if files.is_empty() {
        sandbox.remove_empty_checkpoints();
        return Ok(false);
    }
    let store = open::ensure(workspace)?.guard;
    let _held = local.lock(LOCK_TIMEOUT)?;
    let pending = Pending { workspace, local, bases, store: &store };
    for below in files {
        failed.extend(pending.catch_up(&below).err());
    }
    sandbox.remove_empty_checkpoints();
    Ok(true)
}

/// Returns the pending files: threads first, then the pointer and the locks, which refer to them.
fn files(local: &OpenDir) -> Result<Vec<PathBuf>, ReadError> {
    let names = local.names()?.into_iter();
    let threads = names.filter(|name| is_thread_file(name)).map(PathBuf::from);
    let locks = local.dir(LOCKS).and_then(|locks| locks.names()).unwrap_or_default().into_iter();
    let locks = locks.map(|name| Path::new(LOCKS).join(name).join("current.json"));
    let all = threads.chain([PathBuf::from(HandoffDoc::FILE_NAME)]).chain(locks);
    Ok(all.filter(|below| local.has_file(below)).collect())
}

/// Moves the pending files of a worktree to the store.
struct Pending<'a> {
    workspace: &'a Workspace,
    local: OpenDir,
    bases: Option<OpenDir>,
    store: &'a DirLock,
}

impl Pending<'_> {
    /// Merges one file into the store, and removes it from the worktree once that is durable.
    fn catch_up(&self, below: &Path) -> Result<(), CheckpointError> {
        let to = self.workspace.checkpoints.threads().join(below);
        let ours = self.local.read(below)?;
        let base = match self.bases.as_ref().map(|bases| bases.read(below)) {
            None | Some(Err(ReadError::NotFound { .. })) => None,
            // A merge without the base would restore deleted content.
            Some(base) => Some(base?),
        };
        self.check(below, &ours)?;
        inside(&self.workspace.checkpoints, &to)?;
        ensure_dir(&*self.workspace.env.fs, to.parent().unwrap_or(&to), 0o777)?;
        let stem = stem(&to);
        Document::new(self.store, &to, 0o666).update(&self.workspace.env, |theirs| {
            let Some(theirs) = theirs else { return Ok(Edit::Write(ours.clone(), ())) };
            let merged = self.merged(below, &stem, base.as_deref(), &ours, theirs);
            let Some(merged) = merged else {
                self.keep(below, &ours)?;
                return Ok(Edit::Keep(()));
            };
            Ok::<_, CheckpointError>(match merged == theirs {
                true => Edit::Keep(()),
                false => Edit::Write(merged, ()),
            })
        })?;
        self.local.remove(below, &ours)?;
        if let Some((bases, base)) = self.bases.as_ref().zip(base) {
            bases.remove(below, &base)?;
        }
        if let Some(folder) = below.parent().filter(|_| below.starts_with(LOCKS)) {
            for dir in [Some(&self.local), self.bases.as_ref()].into_iter().flatten() {
                // The directory of one lock; kept if it is not empty.
                drop(dir.remove_dir(folder));
            }
        }
        Ok(())
    }

    /// Refuses a file that is not what its name says.
    fn check(&self, below: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
        let path = self.local.path().join(below);
        let is_valid = if below.starts_with(LOCKS) {
            serde_json::from_slice::<LockFile>(bytes).is_ok()
        } else if below.to_str().is_some_and(is_thread_file) {
            row(bytes, &path, CheckpointFileKind::Thread).usable
        } else {
            HandoffDoc::parse(bytes.to_vec()).0.usable
        };
        let reason = "not a checkpoint".to_owned();
        if is_valid { Ok(()) } else { Err(CheckpointError::Unusable { path, reason }) }
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
    fn keep(&self, below: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
        let trash = cleanup::trash(self.workspace);
        let stamp = self.workspace.env.clock.now().compact();
        Ok(copy_to_trash(&*self.workspace.env.fs, &trash, below, bytes, &stamp).map(drop)?)
    }
}

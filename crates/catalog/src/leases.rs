//! Leases on threads, so that two agents do not work on the same one.
//!
//! A lease is a small file in the state directory. It is advisory: it does not prevent an answer to a thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skein_format::review::ReviewDoc;
use skein_format::time::{self, Time};
use skein_model::Turn;
use skein_model::normalize_path::stem;
use skein_model::view::{ClaimedBy, RowDetail, ThreadRow};
use skein_store::{DirLock, Revision, create_new, ensure_dir, lock, remove, replace};
use skein_workspace::agent_names::is_agent;
use skein_workspace::{Env, FileError, Workspace};

const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// The directory of the leases, in a state directory.
pub const DIRECTORY: &str = "claims";
/// The end time of a released lease, which hides one in a read-only directory.
const RELEASED: &str = "1970-01-01T00:00:00.000Z";

/// The holder of a thread, and the end of the lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeaseInfo {
    /// The name of the holder.
    pub by: String,
    /// The token with which the holder gets the same thread again.
    pub token: String,
    /// When it expires.
    pub until: Time,
}

/// The content of a lease file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lease {
    pub thread: String,
    pub by: String,
    pub token: String,
    pub until: String,
    /// The number of comments that the thread had; a later one by an agent ends the lease.
    pub comments: usize,
}

impl Lease {
    fn is_released(&self) -> bool {
        self.until == RELEASED
    }

    pub fn is_over(&self, now: Time) -> bool {
        time::parse(&self.until).is_none_or(|until| until.time <= now)
    }

    pub fn claim(&self) -> LeaseInfo {
        let until = time::parse(&self.until).map_or(Time::from_millis(0), |until| until.time);
        LeaseInfo { by: self.by.clone(), token: self.token.clone(), until }
    }
}

/// The leases of a workspace.
#[derive(Debug, Default)]
pub struct LeaseDir {
    dir: PathBuf,
    /// The second directory of leases, which other processes write, and whether it is writable from here.
    other: Option<(PathBuf, bool)>,
    /// The leases of each thread: several if a sandboxed agent hides one with its own.
    held: BTreeMap<String, Vec<LeaseFile>>,
    /// Invalid files.
    broken: Vec<(PathBuf, Revision)>,
}

#[derive(Debug)]
struct LeaseFile {
    lease: Lease,
    path: PathBuf,
    revision: Revision,
}

/// The locks to hold while leases are changed.
pub struct Locks {
    own: DirLock,
    _other: Option<DirLock>,
}

/// Locks the leases, creating their directory if it is missing, and the second directory.
///
/// A read-only directory can be locked too. The directory in the worktree is locked first, so that two processes cannot deadlock.
pub fn open(workspace: &Workspace) -> Result<Locks, FileError> {
    let env = &workspace.env;
    let dir = dir(workspace);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let is_local = env.dirs.read_only.is_some();
    let own = || lock(&*env.fs, &dir, LOCK_TIMEOUT);
    let first = is_local.then(own).transpose()?;
    let other = other_dir(workspace);
    let other = other.map(|dir| lock(&*env.fs, &dir, LOCK_TIMEOUT)).transpose()?;
    let own = first.map_or_else(own, Ok)?;
    Ok(Locks { own, _other: other })
}

fn dir(workspace: &Workspace) -> PathBuf {
    workspace.dirs().state.join(DIRECTORY)
}

fn other_dir(workspace: &Workspace) -> Option<PathBuf> {
    let other = workspace.other_state(&workspace.dirs())?;
    Some(other.join(DIRECTORY)).filter(|dir| dir.is_dir())
}

/// Returns the directories of the leases.
pub fn dirs(workspace: &Workspace) -> impl Iterator<Item = PathBuf> {
    std::iter::once(dir(workspace)).chain(other_dir(workspace))
}

impl LeaseDir {
    /// Reads the leases; a caller that changes them must hold the lock.
    pub fn read(workspace: &Workspace) -> Self {
        let other = other_dir(workspace).map(|dir| (dir, workspace.env.dirs.read_only.is_none()));
        let mut leases = Self { dir: dir(workspace), other, ..Self::default() };
        let dirs = [Some(leases.dir.clone()), leases.other.as_ref().map(|(dir, _)| dir.clone())];
        for dir in dirs.into_iter().flatten() {
            leases.read_dir(&dir);
        }
        leases
    }

    fn read_dir(&mut self, dir: &Path) {
        let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()).filter(|path| is_lease(path)) {
            let Ok(snapshot) = skein_store::read(&path) else { continue };
            match serde_json::from_slice::<Lease>(&snapshot.bytes) {
                Ok(lease) if lease_file(dir, &lease.thread) == path => {
                    let thread = lease.thread.clone();
                    let file = LeaseFile { lease, path, revision: snapshot.revision };
                    self.held.entry(thread).or_default().push(file);
                }
                _ => self.broken.push((path, snapshot.revision)),
            }
        }
    }

    /// Returns the lease in effect; a lease that was released in a sandbox is ignored.
    pub fn get(&self, thread: &str) -> Option<&Lease> {
        let all = self.held.get(thread)?;
        let is_released = |lease: &Lease| {
            let mut released = all.iter().filter(|file| file.lease.is_released());
            released.any(|file| file.lease.token == lease.token)
        };
        let leases = all.iter().map(|file| &file.lease).filter(|lease| !is_released(lease));
        leases.max_by_key(|lease| lease.claim().until)
    }

    fn can_write(&self, path: &Path) -> bool {
        self.other.as_ref().is_none_or(|(other, writable)| *writable || !path.starts_with(other))
    }

    /// Writes a lease, replacing the previous one of the thread.
    pub fn take(&mut self, env: &Env, locks: &Locks, lease: Lease) -> Result<(), FileError> {
        let path = lease_file(&self.dir, &lease.thread);
        let mut bytes = serde_json::to_vec_pretty(&lease)
            .expect("strings and numbers under string keys always serialise");
        bytes.push(b'\n');
        let files = self.held.entry(lease.thread.clone()).or_default();
        let revision = match files.iter().position(|file| file.path == path) {
            Some(at) => {
                let old = files.swap_remove(at);
                replace(&*env.fs, &locks.own, &path, &old.revision, &bytes)?;
                Revision::from_bytes(&bytes)
            }
            None => create_new(&*env.fs, &locks.own, &path, &bytes, 0o600)?,
        };
        files.push(LeaseFile { lease, path, revision });
        Ok(())
    }

    /// Releases a lease; returns false if there was none.
    pub fn release(&mut self, env: &Env, locks: &Locks, thread: &str) -> Result<bool, FileError> {
        let files = self.held.remove(thread).unwrap_or_default();
        let was_held = !files.is_empty();
        let (own, others): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| self.can_write(&file.path));
        for file in own {
            remove(&*env.fs, &locks.own, &file.path, &file.revision)?;
        }
        for file in others.into_iter().filter(|file| !file.lease.is_over(env.clock.now())) {
            self.take(env, locks, Lease { until: RELEASED.to_owned(), ..file.lease })?;
        }
        Ok(was_held)
    }

    /// Removes stale leases and invalid files.
    pub fn sweep(
        &mut self,
        env: &Env,
        locks: &Locks,
        is_stale: &dyn Fn(&Lease) -> bool,
    ) -> Result<(), FileError> {
        for (path, revision) in std::mem::take(&mut self.broken) {
            if self.can_write(&path) {
                remove(&*env.fs, &locks.own, &path, &revision)?;
            }
        }
        // A file that hides a lease in a read-only directory is kept.
        let can_go = |files: &[LeaseFile]| files.iter().all(|file| self.can_write(&file.path));
        let is_over = |thread: &str| self.get(thread).is_none_or(is_stale);
        let over = self.held.iter().filter(|(thread, files)| can_go(files) && is_over(thread));
        let over: Vec<String> = over.map(|(thread, _)| thread.clone()).collect();
        for thread in over {
            self.release(env, locks, &thread)?;
        }
        Ok(())
    }
}

/// Returns the file of a thread's lease; a long name is replaced by its hash.
fn lease_file(dir: &Path, thread: &str) -> PathBuf {
    const MAX_NAME_LEN: usize = 200;
    let short = thread.len() <= MAX_NAME_LEN;
    let name =
        if short { thread.to_owned() } else { Revision::from_bytes(thread.as_bytes()).to_string() };
    dir.join(format!("{name}.json"))
}

fn is_lease(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Sets the holder of the lease of each thread.
pub(crate) fn mark_claims<'a>(
    workspace: &Workspace,
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
) {
    let claims = Claims::read(workspace);
    if claims.leases.held.is_empty() {
        return;
    }
    for row in rows {
        let claim = claims.holder(row);
        if let RowDetail::Review(detail) = &mut row.detail {
            detail.claim = claim;
        }
    }
}

/// The leases of a workspace at one moment.
pub struct Claims<'a> {
    workspace: &'a Workspace,
    leases: LeaseDir,
    now: Time,
}

impl<'a> Claims<'a> {
    /// Reads the leases.
    pub fn read(workspace: &'a Workspace) -> Self {
        Self { workspace, leases: LeaseDir::read(workspace), now: workspace.env.clock.now() }
    }

    /// Returns whether a holder with another token works on a thread.
    pub fn is_taken(&self, row: &ThreadRow, token: Option<&str>) -> bool {
        self.lease(row).is_some_and(|lease| Some(lease.token.as_str()) != token)
    }

    /// Returns the lease of a thread, if it is still in effect.
    pub fn lease(&self, row: &ThreadRow) -> Option<&Lease> {
        let lease = self.leases.get(&row.id)?;
        holds(self.workspace, lease, row, self.now).then_some(lease)
    }

    /// Returns the holder of a thread that waits for an agent.
    pub fn holder(&self, row: &ThreadRow) -> Option<Box<ClaimedBy>> {
        let waits = row.review().is_some_and(|detail| detail.waiting_on == Some(Turn::Agent));
        let LeaseInfo { by, until, .. } = self.lease(row).filter(|_| waits)?.claim();
        Some(Box::new(ClaimedBy { by, until }))
    }
}

/// Returns whether a lease is still in effect.
pub fn holds(workspace: &Workspace, lease: &Lease, row: &ThreadRow, now: Time) -> bool {
    if lease.is_over(now) {
        return false;
    }
    // The reviewer may add comments; only an answer by an agent ends the lease.
    comment_count(row) == lease.comments || !was_answered(workspace, lease.comments, &row.file)
}

/// Returns whether an agent has answered a thread since it had this number of comments.
pub fn was_answered(workspace: &Workspace, comments: usize, path: &Path) -> bool {
    let Ok(snapshot) = skein_store::read(path) else { return false };
    let store = &workspace.reviews.store_path;
    let (doc, _) = ReviewDoc::parse(snapshot.bytes, &stem(path), store);
    let since = doc.comments().into_iter().skip(comments);
    since.into_iter().any(|comment| is_agent(&comment.author, &workspace.settings))
}

pub fn comment_count(row: &ThreadRow) -> usize {
    row.review().map_or(0, |detail| detail.comment_count)
}

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
use skein_store::{
    DirLock, LockHandle, OpenDir, Revision, create_new, ensure_dir, lock, remove, replace,
};
use skein_workspace::agent_names::is_agent;
use skein_workspace::{Env, FileError, Workspace};

use crate::origins::short_session_id;

const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// A sandboxed agent holds its lock for some milliseconds.
const SANDBOX_LOCK_TIMEOUT: Duration = Duration::from_secs(1);
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

impl From<LeaseInfo> for ClaimedBy {
    /// The token of an agent is its session. Without one it is the name.
    fn from(claim: LeaseInfo) -> Self {
        let LeaseInfo { by, token, until } = claim;
        let session = (token != by).then(|| short_session_id(&token));
        Self { by, session, until }
    }
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
    /// How long it lasts, in milliseconds: if the clock is set back, the rest must not become longer than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<i64>,
}

impl Lease {
    fn is_released(&self) -> bool {
        self.until == RELEASED
    }

    pub fn is_over(&self, now: Time) -> bool {
        time::parse(&self.until).is_none_or(|until| until.time <= now)
    }

    /// Returns the end after the clock was set back: counted from now, because the time that has passed is unknown.
    fn end_after_clock_change(&self, now: Time) -> Option<Time> {
        let until = time::parse(&self.until)?.time;
        let end = Time::from_millis(now.as_millis().saturating_add(self.lasts?));
        (until > end).then_some(end)
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
    _user: Option<DirLock>,
    _sandbox: Option<LockHandle>,
}

/// Locks the leases, creating their directory if it is missing, and those on the other side of a sandbox.
///
/// A read-only directory can be locked too. The directory in the worktree is locked first, so that two processes cannot deadlock.
pub fn open(workspace: &Workspace) -> Result<Locks, FileError> {
    let env = &workspace.env;
    let dir = dir(workspace);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    // An agent that holds its lock for ever does not keep others from working.
    let sandbox = sandbox_dir(workspace).and_then(|dir| dir.lock(SANDBOX_LOCK_TIMEOUT).ok());
    let own = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    let user = user_dir(workspace);
    let user = user.map(|dir| lock(&*env.fs, &dir, LOCK_TIMEOUT)).transpose()?;
    Ok(Locks { own, _user: user, _sandbox: sandbox })
}

fn dir(workspace: &Workspace) -> PathBuf {
    workspace.dirs().state.join(DIRECTORY)
}

/// Returns the user's directory, if this process is in a sandbox.
fn user_dir(workspace: &Workspace) -> Option<PathBuf> {
    let dir = workspace.state_outside(&workspace.dirs())?.join(DIRECTORY);
    Some(dir).filter(|dir| dir.is_dir())
}

/// Opens the directory of a sandboxed agent in this worktree, if this process is outside.
fn sandbox_dir(workspace: &Workspace) -> Option<OpenDir> {
    workspace.sandbox()?.records(&workspace.dirs(), DIRECTORY).ok()?
}

/// Returns the directories of the leases.
pub fn dirs(workspace: &Workspace) -> impl Iterator<Item = PathBuf> {
    let sandbox = sandbox_dir(workspace).map(|dir| dir.path().to_owned());
    [Some(dir(workspace)), user_dir(workspace), sandbox].into_iter().flatten()
}

impl LeaseDir {
    /// Reads the leases; a caller that changes them must hold the lock.
    ///
    /// Those of a sandboxed agent in this worktree hold back threads of this worktree, and are never written from outside.
    pub fn read(workspace: &Workspace) -> Self {
        let mut leases = Self { dir: dir(workspace), ..Self::default() };
        for dir in [Some(leases.dir.clone()), user_dir(workspace)].into_iter().flatten() {
            let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
            for path in entries.map(|entry| entry.path()).filter(|path| is_lease(path)) {
                if let Ok(snapshot) = skein_store::read(&path) {
                    leases.add(&dir, path, &snapshot.bytes);
                }
            }
        }
        if let Some(dir) = sandbox_dir(workspace) {
            for name in dir.names().unwrap_or_default() {
                let path = dir.path().join(&name);
                if let Some(bytes) = dir.read(&name).ok().filter(|_| is_lease(&path)) {
                    leases.add(dir.path(), path, &bytes);
                }
            }
        }
        leases
    }

    fn add(&mut self, dir: &Path, path: PathBuf, bytes: &[u8]) {
        let revision = Revision::from_bytes(bytes);
        match serde_json::from_slice::<Lease>(bytes) {
            Ok(lease) if lease_file(dir, &lease.thread) == path => {
                let thread = lease.thread.clone();
                self.held.entry(thread).or_default().push(LeaseFile { lease, path, revision });
            }
            _ => self.broken.push((path, revision)),
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

    fn is_own(&self, path: &Path) -> bool {
        path.parent() == Some(&*self.dir)
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

    /// Shortens leases whose rest is longer than they last: the clock was set back since they were taken.
    pub fn follow_clock(&mut self, env: &Env, locks: &Locks) -> Result<(), FileError> {
        let now = env.clock.now();
        let own = self.held.values().flatten().filter(|file| self.is_own(&file.path));
        let changed: Vec<Lease> = own
            .filter_map(|file| {
                let until = file.lease.end_after_clock_change(now)?.to_string();
                Some(Lease { until, ..file.lease.clone() })
            })
            .collect();
        changed.into_iter().try_for_each(|lease| self.take(env, locks, lease))
    }

    /// Releases a lease; returns false if there was none.
    pub fn release(&mut self, env: &Env, locks: &Locks, thread: &str) -> Result<bool, FileError> {
        let files = self.held.remove(thread).unwrap_or_default();
        let was_held = !files.is_empty();
        let (own, others): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| self.is_own(&file.path));
        for file in own {
            remove(&*env.fs, &locks.own, &file.path, &file.revision)?;
        }
        for file in others.into_iter().filter(|file| !file.lease.is_over(env.clock.now())) {
            self.take(env, locks, Lease { until: RELEASED.to_owned(), ..file.lease })?;
        }
        Ok(was_held)
    }

    /// Returns whether no lease of a thread is in effect, and none on the other side of a sandbox has to be hidden.
    fn is_unneeded(&self, thread: &str, now: Time, is_stale: &dyn Fn(&Lease) -> bool) -> bool {
        let files = self.held.get(thread).map(Vec::as_slice).unwrap_or_default();
        let is_hiding =
            files.iter().any(|file| self.is_own(&file.path) && file.lease.is_released());
        let mut others = files.iter().filter(|file| !self.is_own(&file.path));
        let has_other = others.any(|file| !file.lease.is_over(now));
        !(is_hiding && has_other) && self.get(thread).is_none_or(is_stale)
    }

    /// Removes stale leases and invalid files.
    pub fn sweep(
        &mut self,
        env: &Env,
        locks: &Locks,
        is_stale: &dyn Fn(&Lease) -> bool,
    ) -> Result<(), FileError> {
        for (path, revision) in std::mem::take(&mut self.broken) {
            if self.is_own(&path) {
                remove(&*env.fs, &locks.own, &path, &revision)?;
            }
        }
        let now = env.clock.now();
        let over: Vec<String> = self
            .held
            .keys()
            .filter(|thread| self.is_unneeded(thread, now, is_stale))
            .cloned()
            .collect();
        for thread in over {
            let files = self.held.remove(&thread).unwrap_or_default();
            for file in files.into_iter().filter(|file| self.is_own(&file.path)) {
                remove(&*env.fs, &locks.own, &file.path, &file.revision)?;
            }
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
        let claim = self.lease(row).filter(|_| waits)?.claim();
        Some(Box::new(claim.into()))
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

//! Leases on threads, so that two agents never work on the same one.
//!
//! A lease is a small file in the state directory. It is a courtesy between agents: nothing that it says keeps
//! anybody from answering a thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skein_format::time::{self, Time};
use skein_store::{Guard, Revision, create_new, ensure_dir, lock, remove, replace};

use super::next::holds;
use super::write_error::WriteError;
use crate::discover::Workspace;
use crate::env::Env;
use crate::ids::stem;
use crate::view::{ClaimedBy, Detail, Row};

const PATIENCE: Duration = Duration::from_secs(30);

/// Who works on a thread, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The name of the one who took it.
    pub by: String,
    /// What the claimant gives to get the same thread again.
    pub token: String,
    /// When it ends by itself.
    pub until: Time,
}

/// A lease as it is on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lease {
    pub(super) thread: String,
    pub(super) by: String,
    pub(super) token: String,
    pub(super) until: String,
    /// How many comments the thread had; one by an agent that comes after them ends the lease.
    pub(super) comments: usize,
}

impl Lease {
    pub(super) fn is_over(&self, now: Time) -> bool {
        time::parse(&self.until).is_none_or(|until| until.time <= now)
    }

    pub(super) fn claim(&self) -> Claim {
        let until = time::parse(&self.until).map_or(Time::from_millis(0), |until| until.time);
        Claim { by: self.by.clone(), token: self.token.clone(), until }
    }
}

/// The leases of a workspace, each with the file that it is in.
#[derive(Debug, Default)]
pub(super) struct Leases {
    dir: PathBuf,
    held: BTreeMap<String, (Lease, Revision)>,
    /// Files that hold no lease.
    broken: Vec<(PathBuf, Revision)>,
}

/// Takes the lock of the leases, making their directory where it is missing.
pub(super) fn open(workspace: &Workspace, env: &Env) -> Result<Guard, WriteError> {
    let dir = dir(workspace, env);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    Ok(lock(&*env.fs, &dir, PATIENCE)?)
}

fn dir(workspace: &Workspace, env: &Env) -> PathBuf {
    workspace.dirs(env).state.join("claims")
}

impl Leases {
    /// Reads the leases; whoever means to change them holds the lock.
    pub(super) fn read(workspace: &Workspace, env: &Env) -> Self {
        let mut leases = Self { dir: dir(workspace, env), ..Self::default() };
        let entries = leases.dir.read_dir().into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()).filter(|path| is_lease(path)) {
            let Ok(snapshot) = skein_store::read(&path) else { continue };
            match serde_json::from_slice::<Lease>(&snapshot.bytes) {
                Ok(lease) if leases.path(&lease.thread) == path => {
                    leases.held.insert(lease.thread.clone(), (lease, snapshot.revision));
                }
                _ => leases.broken.push((path, snapshot.revision)),
            }
        }
        leases
    }

    pub(super) fn get(&self, thread: &str) -> Option<&Lease> {
        self.held.get(thread).map(|(lease, _)| lease)
    }

    /// Writes a lease, in the place of the one that the thread had.
    pub(super) fn take(
        &mut self,
        env: &Env,
        guard: &Guard,
        lease: Lease,
    ) -> Result<(), WriteError> {
        let path = self.path(&lease.thread);
        // Strings and numbers under string keys always serialise.
        let mut bytes = serde_json::to_vec_pretty(&lease).unwrap_or_default();
        bytes.push(b'\n');
        let revision = match self.held.get(&lease.thread) {
            Some((_, old)) => {
                replace(&*env.fs, guard, &path, old, &bytes)?;
                Revision::of(&bytes)
            }
            None => create_new(&*env.fs, guard, &path, &bytes, 0o600)?,
        };
        self.held.insert(lease.thread.clone(), (lease, revision));
        Ok(())
    }

    /// Gives a lease back; false where the thread had none.
    pub(super) fn release(
        &mut self,
        env: &Env,
        guard: &Guard,
        thread: &str,
    ) -> Result<bool, WriteError> {
        let Some((_, revision)) = self.held.remove(thread) else { return Ok(false) };
        remove(&*env.fs, guard, &self.path(thread), &revision)?;
        Ok(true)
    }

    /// Removes the leases that `is_stale` names, and the files that are none.
    pub(super) fn sweep(
        &mut self,
        env: &Env,
        guard: &Guard,
        is_stale: &dyn Fn(&Lease) -> bool,
    ) -> Result<(), WriteError> {
        for (path, revision) in std::mem::take(&mut self.broken) {
            remove(&*env.fs, guard, &path, &revision)?;
        }
        let leases = self.held.values().map(|(lease, _)| lease);
        let stale: Vec<String> =
            leases.filter(|lease| is_stale(lease)).map(|lease| lease.thread.clone()).collect();
        for thread in stale {
            self.release(env, guard, &thread)?;
        }
        Ok(())
    }

    /// Returns the file of a thread's lease; a name too long for one is known by its hash.
    fn path(&self, thread: &str) -> PathBuf {
        const LONGEST: usize = 200;
        let short = thread.len() <= LONGEST;
        let name =
            if short { thread.to_owned() } else { Revision::of(thread.as_bytes()).to_string() };
        self.dir.join(format!("{name}.json"))
    }
}

fn is_lease(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// What became of a claim that was to be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Released {
    /// The thread is free again.
    Yes,
    /// Nothing was claimed.
    NotClaimed,
    /// Another claimant has it.
    OfAnother {
        /// The name of the claimant.
        by: String,
    },
}

/// Gives back the thread that an id means, where the claimant with the token has it, or with `force` in any case.
pub fn release(
    workspace: &Workspace,
    env: &Env,
    id: &str,
    token: Option<&str>,
    force: bool,
) -> Result<Released, WriteError> {
    let (_, path) = super::open::thread(workspace, env, id)?;
    let guard = open(workspace, env)?;
    let mut leases = Leases::read(workspace, env);
    let thread = stem(&path);
    let lease = leases.get(&thread).filter(|lease| !lease.is_over(env.clock.now()));
    let is_own = |lease: &&Lease| token == Some(lease.token.as_str());
    if let Some(other) = lease.filter(|lease| !force && !is_own(lease)) {
        return Ok(Released::OfAnother { by: other.by.clone() });
    }
    let released = leases.release(env, &guard, &thread)?;
    Ok(if released { Released::Yes } else { Released::NotClaimed })
}

/// Says of each thread in a list who works on it.
pub(crate) fn mark_claims<'a>(
    workspace: &Workspace,
    env: &Env,
    rows: impl IntoIterator<Item = &'a mut Row>,
) {
    let leases = Leases::read(workspace, env);
    if leases.held.is_empty() {
        return;
    }
    let now = env.clock.now();
    for row in rows {
        let lease = leases.get(&row.id).filter(|lease| holds(workspace, lease, row, now));
        let claim = lease.map(Lease::claim);
        if let Detail::Review(detail) = &mut row.detail {
            let waits = detail.waiting_on == Some("agent");
            let claim = claim.filter(|_| waits);
            detail.claim =
                claim.map(|claim| Box::new(ClaimedBy { by: claim.by, until: claim.until }));
        }
    }
}

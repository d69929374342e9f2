//! Delivers threads to a session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::leases::{self, Lease, LeaseDir, comment_count, holds, was_answered};
use skein_format::time::Time;
use skein_model::PromptText;
use skein_model::view::{ThreadOrigin, ThreadRow};
use skein_review::Exported;
use skein_store::{DirLock, LockError, ensure_dir, lock, remove_marker};
use skein_workspace::{FileError, Workspace, agent_names, trust};

use crate::known_sessions::KnownSessions;
use crate::plan::{PlannedDelivery, PlannedThread, is_busy, is_elsewhere};
use crate::process::is_alive;
use crate::record::{self, DeliveredThread, DeliveryRecord, DeliveryState};

/// The directory in a state directory that has the output of agents. Its lock in that of the repository is held while threads are
/// delivered.
const DIRECTORY: &str = "delivering";
/// A process that starts a program can hold a lock for a moment longer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// The longest time that an agent may take.
pub const MAX_TURN: Duration = Duration::from_secs(2 * 60 * 60);
/// How long threads stay claimed after the program that delivers them has been stopped.
const CLAIM_TIME: Duration = Duration::from_secs(15 * 60);
/// How often the claims of a delivery must be [renewed](Deliverer::renew).
pub const RENEW_INTERVAL: Duration = Duration::from_secs(60);

/// The right to deliver threads in a repository.
pub struct Deliverer {
    _guard: DirLock,
}

/// A delivery that has begun.
#[derive(Debug)]
pub struct StartedDelivery {
    pub id: String,
    pub origin: ThreadOrigin,
    /// The last prompt of the user in the session.
    pub last_prompt: Option<String>,
    /// The text for the agent.
    pub prompt: PromptText,
    threads: Vec<ThreadRow>,
}

impl StartedDelivery {
    /// Returns the number of threads.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Returns the ids of the threads.
    pub fn threads(&self) -> impl Iterator<Item = &str> {
        self.threads.iter().map(|row| row.id.as_str())
    }
}

/// Returns the file for the output of the agent of a delivery.
pub fn log_file(workspace: &Workspace, delivery: &str) -> PathBuf {
    workspace.dirs().state.join(DIRECTORY).join(format!("{delivery}.log"))
}

impl Deliverer {
    /// Takes the right to deliver threads in a repository; none if another process has it.
    ///
    /// Two processes could resume the same session, whose threads may be in several worktrees.
    pub fn new(workspace: &Workspace) -> Result<Option<Self>, FileError> {
        let env = &workspace.env;
        let root = trust::roots(workspace).into_iter().next();
        let root = root.unwrap_or_else(|| workspace.reviews.root.clone());
        let dir = env.root_dirs(&root).state.join(DIRECTORY);
        ensure_dir(&*env.fs, &dir, 0o700)?;
        match lock(&*env.fs, &dir, LOCK_TIMEOUT) {
            Ok(guard) => Ok(Some(Self { _guard: guard })),
            Err(LockError::Held { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Marks deliveries of a process that was killed as interrupted, and releases their threads, unless their agent still works.
    pub fn recover(
        &self,
        workspace: &Workspace,
        is_own: &dyn Fn(&str) -> bool,
    ) -> Result<(), FileError> {
        let env = &workspace.env;
        let known = record::read(workspace);
        let dir = workspace.dirs().state.join(DIRECTORY);
        let logs = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
        for log in logs.map(|entry| entry.path()).filter(|path| is_old_log(path, &known)) {
            // If it cannot be removed, the next call tries again.
            drop(remove_marker(&*env.fs, &log));
        }
        let sessions = KnownSessions::read(workspace);
        let works = |delivery: &DeliveryRecord| {
            let session = sessions.get(&delivery.origin.session);
            // The process of a server goes on when the session has answered.
            let is_server = |process| session.filter(|one| one.process == Some(process));
            let is_working = |process: &u32| is_server(*process).is_none_or(is_busy);
            delivery.process.filter(|process| is_alive(*process)).filter(is_working).is_some()
        };
        let is_lost = |delivery: &&DeliveryRecord| {
            delivery.state == DeliveryState::Started && !is_own(&delivery.id) && !works(delivery)
        };
        for delivery in known.iter().filter(is_lost) {
            let ids = delivery.threads.iter().map(|thread| thread.id.as_str());
            release(workspace, &delivery.origin.session, ids)?;
            set_state(workspace, &delivery.id, DeliveryState::Interrupted, None)?;
        }
        Ok(())
    }

    /// Records a delivery and claims its threads; none if others have claimed all of them.
    ///
    /// The record is on disk before the agent starts, so that nothing is delivered twice after a crash.
    pub fn begin(
        &self,
        workspace: &Workspace,
        planned: &PlannedDelivery,
    ) -> Result<Option<StartedDelivery>, FileError> {
        let env = &workspace.env;
        let origin = planned.origin.clone();
        let delivered = |thread: &PlannedThread| DeliveredThread {
            id: thread.row.id.clone(),
            comments: thread.comments.clone(),
        };
        let mut delivery = DeliveryRecord {
            id: env.ids.next(),
            origin: origin.clone(),
            threads: planned.threads.iter().map(delivered).collect(),
            state: DeliveryState::Started,
            at: env.clock.now().to_string(),
            process: None,
            error: None,
        };
        // Recorded before the claims, because claims without a record would not be released after a crash.
        record::change(workspace, &|all| all.push(delivery.clone()))?;
        let threads = claim(workspace, planned)?;
        delivery.threads.retain(|thread| threads.iter().any(|row| row.id == thread.id));
        record::change(workspace, &|all| {
            all.retain(|other| other.id != delivery.id);
            if !delivery.threads.is_empty() {
                all.push(delivery.clone());
            }
        })?;
        if threads.is_empty() {
            return Ok(None);
        }
        ensure_dir(&*env.fs, &workspace.dirs().state.join(DIRECTORY), 0o700)?;
        let prompt = prompt(workspace, &origin, &threads);
        let last_prompt = planned.last_prompt.clone();
        Ok(Some(StartedDelivery { id: delivery.id, origin, last_prompt, prompt, threads }))
    }

    /// Records the process of the agent, or of the server in which the session is.
    pub fn started(
        &self,
        workspace: &Workspace,
        started: &StartedDelivery,
        process: u32,
    ) -> Result<(), FileError> {
        record::change(workspace, &|all| {
            for delivery in all.iter_mut().filter(|delivery| delivery.id == started.id) {
                delivery.process = Some(process);
            }
        })
    }

    /// Extends the claims of a delivery whose agent still works.
    pub fn renew(&self, workspace: &Workspace, started: &StartedDelivery) -> Result<(), FileError> {
        extend(workspace, started, CLAIM_TIME)
    }

    /// Forgets a delivery of which nothing was sent, so that its threads are delivered later.
    pub fn cancel(
        &self,
        workspace: &Workspace,
        started: &StartedDelivery,
    ) -> Result<(), FileError> {
        release(workspace, &started.origin.session, started.threads())?;
        record::change(workspace, &|all| all.retain(|delivery| delivery.id != started.id))
    }

    /// Records that nothing is known of an agent that has the threads and may still work on them: they stay claimed for the longest
    /// time that it may take. Returns the number of answered ones.
    pub fn lose(
        &self,
        workspace: &Workspace,
        started: &StartedDelivery,
        error: &str,
    ) -> Result<usize, FileError> {
        extend(workspace, started, MAX_TURN)?;
        set_state(workspace, &started.id, DeliveryState::Failed, Some(error))?;
        Ok(answered(workspace, started))
    }

    /// Records the end of a delivery, and releases the threads that were not answered. Returns the number of answered ones.
    pub fn end(
        &self,
        workspace: &Workspace,
        started: &StartedDelivery,
        error: Option<&str>,
    ) -> Result<usize, FileError> {
        let answered = answered(workspace, started);
        release(workspace, &started.origin.session, started.threads())?;
        let state = if error.is_some() { DeliveryState::Failed } else { DeliveryState::Done };
        set_state(workspace, &started.id, state, error)?;
        Ok(answered)
    }
}

/// Returns the number of threads with an answer.
fn answered(workspace: &Workspace, started: &StartedDelivery) -> usize {
    let is_answered = |row: &&ThreadRow| was_answered(workspace, comment_count(row), &row.file);
    started.threads.iter().filter(is_answered).count()
}

/// Extends the claims that a session still holds.
fn extend(
    workspace: &Workspace,
    started: &StartedDelivery,
    time: Duration,
) -> Result<(), FileError> {
    let guard = leases::open(workspace)?;
    let mut leases = LeaseDir::read(workspace);
    let until = claim_end(workspace, time);
    for thread in started.threads() {
        let own = leases.get(thread).filter(|lease| lease.token == started.origin.session);
        let Some(lease) = own.cloned() else { continue };
        let lease = Lease { until: until.clone(), lasts: Some(millis(time)), ..lease };
        leases.take(&workspace.env, &guard, lease)?;
    }
    Ok(())
}

/// Returns when a claim ends that is made now.
fn claim_end(workspace: &Workspace, time: Duration) -> String {
    let now = workspace.env.clock.now().as_millis();
    Time::from_millis(now.saturating_add(millis(time))).to_string()
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn claim(workspace: &Workspace, planned: &PlannedDelivery) -> Result<Vec<ThreadRow>, FileError> {
    let env = &workspace.env;
    let guard = leases::open(workspace)?;
    let mut leases = LeaseDir::read(workspace);
    let now = env.clock.now();
    let until = claim_end(workspace, CLAIM_TIME);
    let mut claimed = Vec::new();
    for row in planned.threads.iter().map(|thread| &thread.row) {
        let other = leases.get(&row.id);
        if other.is_some_and(|other| holds(workspace, other, row, now)) {
            continue;
        }
        let lease = Lease {
            thread: row.id.clone(),
            by: agent_names::title_of(&planned.origin.agent).to_owned(),
            token: planned.origin.session.clone(),
            until: until.clone(),
            comments: comment_count(row),
            lasts: Some(millis(CLAIM_TIME)),
        };
        leases.take(env, &guard, lease)?;
        claimed.push(row.clone());
    }
    Ok(claimed)
}

/// Releases the threads that a session still holds.
fn release<'t>(
    workspace: &Workspace,
    session: &str,
    threads: impl Iterator<Item = &'t str>,
) -> Result<(), FileError> {
    let guard = leases::open(workspace)?;
    let mut leases = LeaseDir::read(workspace);
    for thread in threads {
        if leases.get(thread).is_some_and(|lease| lease.token == session) {
            leases.release(&workspace.env, &guard, thread)?;
        }
    }
    Ok(())
}

fn set_state(
    workspace: &Workspace,
    id: &str,
    state: DeliveryState,
    error: Option<&str>,
) -> Result<(), FileError> {
    record::change(workspace, &|all| {
        for delivery in all.iter_mut().filter(|delivery| delivery.id == id) {
            delivery.state = state;
            delivery.error = error.map(str::to_owned);
        }
    })
}

/// Returns whether a file is the output of a delivery that is no longer recorded.
fn is_old_log(path: &Path, deliveries: &[DeliveryRecord]) -> bool {
    let name = path.file_stem().and_then(|name| name.to_str());
    path.extension().is_some_and(|extension| extension == "log")
        && !deliveries.iter().any(|delivery| Some(delivery.id.as_str()) == name)
}

/// Returns the text for the agent. If its directory is in another workspace, the commands name the one of the threads.
fn prompt(workspace: &Workspace, origin: &ThreadOrigin, threads: &[ThreadRow]) -> PromptText {
    let views = skein_review::views(workspace, threads);
    let exported = Exported { threads: views, claimed: 0 };
    skein_review::markdown(workspace, &exported, is_elsewhere(workspace, origin))
}

//! A call of a hook.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_checkpoints::agent_session::{AgentSession, SessionRecordError};
use skein_checkpoints::{CheckpointError, agent_session};
use skein_git::{CommitId, Head, RepoDirs, RunError};
use skein_workspace::env::{DELIVERED_ROOT, GIT_DIR};
use skein_workspace::{Workspace, discover, trust};

use super::hook_event::{HookCaller, HookEvent};
use super::log;
use super::payload::Payload;

/// How long the caller of a hook waits for git and for many files. An agent does nothing in this time, and ends a hook after 10 s. What
/// is not answered by then is left to a process in the background; see [`super::finish`].
const LIMIT: Duration = Duration::from_secs(2);
/// The least time for what the answer consists of: on a machine under heavy load, the start of the program alone takes longer than
/// [`LIMIT`]. Each of at most three parts may need it, which is still less than the 10 s of the agents.
const MIN_TIME: Duration = Duration::from_secs(1);

pub(super) type HookResult<T = ()> = Result<T, HookError>;

/// Why a hook failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HookError {
    #[error("cannot record the session")]
    Record(#[from] SessionRecordError),
    #[error("cannot write the checkpoint")]
    Work(#[from] CheckpointError),
    #[error("cannot ask git about the commit")]
    Git(#[from] RunError),
    #[error("the agent did not name its session")]
    NoSession,
}

/// The call of a hook, with its workspace.
pub(super) struct HookCall {
    pub(super) began: Instant,
    pub(super) agent: HookCaller,
    pub(super) event: HookEvent,
    /// The agent's name for the event.
    pub(super) event_name: String,
    pub(super) payload: Payload,
    pub(super) workspace: Workspace,
    /// The directories in whose worktrees something is left to finish.
    pub(super) unfinished: Vec<PathBuf>,
}

impl HookCall {
    /// Notes the current directory if something is left to finish in its worktree, by this call or an earlier one.
    pub(super) fn note_unfinished(&mut self) {
        let dir = &self.workspace.env.dir;
        if self.unfinished.contains(dir) {
            return;
        }
        let has_cut_brief = self.record().is_some_and(|session| session.cut_brief.is_some());
        if has_cut_brief || skein_checkpoints::has_unfinished(&self.workspace) {
            self.unfinished.push(dir.clone());
        }
    }

    /// Changes the current directory, and finds its workspace.
    pub(super) fn change_dir(&mut self, dir: &Path) {
        dir.clone_into(&mut self.workspace.env.dir);
        self.workspace = discover(&self.workspace.env);
    }

    /// Returns the id of the session; in a hook of git it comes from the environment.
    pub(super) fn session(&self) -> Option<String> {
        if self.agent != HookCaller::Git {
            return self.payload.session.clone();
        }
        if let Some(id) = agent_session::around(&self.workspace.env) {
            return Some(id.to_owned());
        }
        agent_session::of_agent_around(&self.workspace).map(|session| session.id)
    }

    /// Returns the record of the session.
    pub(super) fn record(&self) -> Option<AgentSession> {
        agent_session::find(&self.workspace, &self.session()?)
    }

    /// Updates the record of the session; a hook of git does not create one.
    pub(super) fn update_record(
        &self,
        change: impl FnOnce(&mut AgentSession),
    ) -> Result<Option<AgentSession>, SessionRecordError> {
        let Some(id) = self.session() else { return Ok(None) };
        if self.agent == HookCaller::Git && self.record().is_none() {
            return Ok(None);
        }
        let transcript = self.payload.transcript.clone();
        let server = self.payload.server.clone();
        let named = self.workspace.env.variables.get(agent_session::PROCESS_VARIABLE);
        let process = self.payload.process.or_else(|| named?.parse().ok());
        let session = agent_session::record(&self.workspace, (self.agent.name(), &id), |session| {
            session.transcript = transcript.or(session.transcript.take());
            session.process = process.or(session.process);
            session.server = server.or(session.server.take());
            change(session);
        });
        session.map(Some)
    }

    /// Returns the checked-out commit; runs git if the files of the repository are not enough.
    pub(super) fn head(&self) -> Option<CommitId> {
        let git = self.workspace.git.as_ref()?;
        let asked = || {
            let unclear = git.head() == Head::Unknown;
            skein_git::Repo::new(git).filter(|_| unclear)?.head_commit().ok()?
        };
        git.head_commit().or_else(asked)
    }

    /// Returns whether there is a store of checkpoints.
    pub(super) fn has_store(&self) -> bool {
        let checkpoints = &self.workspace.checkpoints;
        checkpoints.exists && checkpoints.written().is_dir()
    }

    /// Returns whether the user trusts `root` or the repository around it, so that its threads may be passed to an agent.
    ///
    /// A directory above a trusted repository must be trusted itself. The same applies to a repository that only claims to belong to a
    /// trusted one.
    pub(super) fn trusts(&self, root: &Path) -> bool {
        if trust::is_accepted(&self.workspace.env, root) {
            return true;
        }
        let git = self.workspace.git.as_ref();
        let Some(top) = git.and_then(RepoDirs::vouched_top) else { return false };
        let here = git.and_then(|git| git.top.as_deref());
        let inside = root.starts_with(&top)
            || here.is_some_and(|here| root.starts_with(here))
            || git.is_some_and(|git| git.is_registered() && root == git.common_dir);
        inside && trust::is_accepted(&self.workspace.env, &top)
    }

    /// Returns the value of a result, or logs the error.
    pub(super) fn log_error<T>(&self, done: Result<T, impl Into<HookError>>) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                log::failure(
                    &self.workspace.env,
                    self.agent.name(),
                    &self.event_name,
                    &error.into(),
                );
                None
            }
        }
    }

    /// Returns whether `deliver` started the agent, with threads as its prompt.
    pub(super) fn is_delivered(&self) -> bool {
        self.workspace.env.variables.contains_key(DELIVERED_ROOT)
    }

    /// Returns the time that is left for a part of the answer.
    pub(super) fn time_left(&self) -> Duration {
        self.time_before_finish().max(MIN_TIME)
    }

    /// Returns the time that is left for what can also be finished in the background.
    pub(super) fn time_before_finish(&self) -> Duration {
        LIMIT.saturating_sub(self.began.elapsed())
    }

    /// Returns whether git calls the hook for a repository other than that of the current directory.
    pub(super) fn is_of_another_repository(&self) -> bool {
        let Some(named) = self.workspace.env.variables.get(GIT_DIR) else { return false };
        let named = self.workspace.env.dir.join(named).canonicalize().ok();
        named != self.workspace.git.as_ref().map(|git| git.git_dir.clone())
    }
}

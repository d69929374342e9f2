//! The sessions of agents that hooks recorded in any worktree of a repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skein_checkpoints::agent_session::{self, AgentSession, EditedFile};
use skein_git::{CommitId, RepoDirs};
use skein_model::view::ThreadOrigin;
use skein_workspace::{Workspace, discover_in};

/// The recorded sessions of a repository.
pub(crate) struct KnownSessions {
    /// The tops of the worktrees.
    tops: Vec<PathBuf>,
    sessions: Vec<AgentSession>,
    /// The sessions of worktrees that were removed.
    removed: Vec<AgentSession>,
}

impl KnownSessions {
    pub(crate) fn read(workspace: &Workspace) -> Self {
        let tops: Vec<PathBuf> = workspace.git.as_ref().map_or_else(Vec::new, |git| {
            RepoDirs::worktrees(git).into_iter().map(|worktree| worktree.top).collect()
        });
        let mut found = agent_session::all(workspace);
        let mut sandboxed = agent_session::sandboxed(workspace);
        let own = workspace.git.as_ref().and_then(|git| git.top.as_ref());
        for top in tops.iter().filter(|top| Some(*top) != own) {
            let other = discover_in(&workspace.env, top);
            found.extend(agent_session::all(&other));
            sandboxed.extend(agent_session::sandboxed(&other));
        }
        let mut sessions: BTreeMap<String, AgentSession> = BTreeMap::new();
        for session in found {
            add(&mut sessions, session);
        }
        // What a sandboxed agent says about a session is not mixed with what is known otherwise.
        for session in sandboxed {
            sessions.entry(session.id.clone()).or_insert(session);
        }
        let mut removed = BTreeMap::new();
        for session in agent_session::of_missing_dirs(&workspace.env) {
            if !sessions.contains_key(&session.id) {
                add(&mut removed, session);
            }
        }
        let (sessions, removed) =
            (sessions.into_values().collect(), removed.into_values().collect());
        Self { tops, sessions, removed }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&AgentSession> {
        self.sessions.iter().chain(&self.removed).find(|session| session.id == id)
    }

    /// Returns the sessions that made a commit.
    pub(crate) fn made(&self, commit: &CommitId) -> Vec<&AgentSession> {
        let made = |session: &&AgentSession| session.commits.iter().any(|id| id == commit.as_str());
        let sessions: Vec<_> = self.sessions.iter().filter(made).collect();
        if sessions.is_empty() {
            return self.removed.iter().filter(made).collect();
        }
        prefer_unsandboxed(sessions)
    }

    /// Returns whether no session is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.removed.is_empty()
    }

    /// Returns the sessions that edited a file since a time, in seconds since 1970.
    pub(crate) fn editors(&self, file: &Path, since: i64) -> Vec<&AgentSession> {
        let edited = |session: &&AgentSession| {
            let at = edit(session, file).and_then(|edited| edited.at);
            at.is_some_and(|at| at.as_millis() / 1000 >= since)
        };
        prefer_unsandboxed(self.sessions.iter().filter(edited).collect())
    }

    /// Returns the sessions that left this file with this content.
    fn left(&self, file: &Path, revision: &str) -> Vec<&AgentSession> {
        let left = |session: &&AgentSession| has_left(session, file, revision);
        self.sessions.iter().filter(left).collect()
    }

    /// Returns the sessions that left a file with this content in any worktree, or in one that was removed; the path is relative to
    /// its top.
    pub(crate) fn left_anywhere(&self, path: &str, revision: &str) -> Vec<&AgentSession> {
        let mut found: Vec<&AgentSession> = Vec::new();
        for top in &self.tops {
            for session in self.left(&top.join(path), revision) {
                if !found.iter().any(|known| known.id == session.id) {
                    found.push(session);
                }
            }
        }
        if found.is_empty() {
            // Where the worktree was is only known from the session, which mostly began at its top.
            let left = |session: &&AgentSession| {
                let file = session.dir.as_deref().map(|dir| Path::new(dir).join(path));
                file.is_some_and(|file| has_left(session, &file, revision))
            };
            return self.removed.iter().filter(left).collect();
        }
        prefer_unsandboxed(found)
    }
}

/// Drops what sandboxed agents claim for themselves if another session is known.
fn prefer_unsandboxed(mut sessions: Vec<&AgentSession>) -> Vec<&AgentSession> {
    if sessions.iter().any(|session| !session.is_sandboxed) {
        sessions.retain(|session| !session.is_sandboxed);
    }
    sessions
}

/// Returns whether a session left a file with this content.
pub(crate) fn has_left(session: &AgentSession, file: &Path, revision: &str) -> bool {
    edit(session, file).is_some_and(|edited| edited.revision.as_deref() == Some(revision))
}

fn edit<'a>(session: &'a AgentSession, file: &Path) -> Option<&'a EditedFile> {
    session.files.get(file.to_str()?)
}

/// Adds a session, or what is recorded about it in another worktree.
fn add(sessions: &mut BTreeMap<String, AgentSession>, session: AgentSession) {
    match sessions.get_mut(&session.id) {
        Some(known) => merge(known, session),
        None => drop(sessions.insert(session.id.clone(), session)),
    }
}

/// Adds what is recorded about the same session in another worktree.
fn merge(known: &mut AgentSession, other: AgentSession) {
    let is_newer = other.seen_at > known.seen_at;
    known.files.extend(other.files);
    known.commits.extend(other.commits);
    known.dir = known.dir.take().or(other.dir);
    known.initial_commit = known.initial_commit.take().or(other.initial_commit);
    known.server = known.server.take().or(other.server);
    known.started_at = known.started_at.min(other.started_at).or(other.started_at);
    if is_newer {
        (known.seen_at, known.ended_at) = (other.seen_at, other.ended_at);
        (known.prompted_at, known.worked_at) = (other.prompted_at, other.worked_at);
        known.process = other.process.or(known.process);
    }
}

/// Returns the session as the origin of a thread; none if its directory is not known.
pub(crate) fn origin(session: &AgentSession) -> Option<ThreadOrigin> {
    let dir = session.dir.clone()?;
    Some(ThreadOrigin { agent: session.agent.clone(), session: session.id.clone(), dir })
}

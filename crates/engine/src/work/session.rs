//! The agent's session that a checkpoint belongs to.

use skein_format::time::Time;

use super::agent_session::{self, AgentSession};
use crate::discover::Workspace;
use crate::env::Env;

/// What is known of the session that work is done in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The agent's own id of it.
    pub id: Option<String>,
    /// The full id of the commit that was checked out when it began.
    pub initial_commit: Option<String>,
    /// When it began.
    pub started_at: Option<Time>,
    /// The agent's own record of the conversation.
    pub transcript: Option<String>,
}

impl Session {
    /// Finds the session: the one that is given, else the one that the environment names, else, inside an agent's
    /// environment, the only one that hooks recorded for that agent in this worktree.
    ///
    /// A process outside of every agent's environment belongs to no session, whichever sessions are running.
    pub fn resolve(workspace: &Workspace, env: &Env, given: Option<&str>) -> Self {
        let named = given.or_else(|| agent_session::around(env));
        if let Some(id) = named.map(str::trim).filter(|id| !id.is_empty()) {
            let known = agent_session::find(workspace, env, id).map(Self::from);
            return known.unwrap_or_else(|| Self { id: Some(id.to_owned()), ..Self::default() });
        }
        agent_session::of_agent_around(workspace, env).map(Self::from).unwrap_or_default()
    }
}

impl From<AgentSession> for Session {
    fn from(known: AgentSession) -> Self {
        Self {
            id: Some(known.id),
            initial_commit: known.initial_commit,
            started_at: known.started_at,
            transcript: known.transcript,
        }
    }
}

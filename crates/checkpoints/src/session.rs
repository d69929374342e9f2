//! The agent's session that a checkpoint belongs to.

use skein_format::time::Time;
use skein_workspace::{Env, Workspace, agent_names};

use super::agent_session::{self, AgentSession};

/// What is known of the session that work is done in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The agent's own id of it.
    pub id: Option<String>,
    /// The agent, also where the session is not known: `codex`.
    pub agent: Option<String>,
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
        let agent = agent_names::running_agent(&env.variables).map(agent_names::id_of);
        if let Some(id) = named.map(str::trim).filter(|id| !id.is_empty()) {
            let known = agent_session::find(workspace, env, id).map(Self::from);
            let new = || Self { id: Some(id.to_owned()), agent, ..Self::default() };
            return known.unwrap_or_else(new);
        }
        let known = agent_session::of_agent_around(workspace, env).map(Self::from);
        known.unwrap_or_else(|| Self { agent, ..Self::default() })
    }
}

impl From<AgentSession> for Session {
    fn from(known: AgentSession) -> Self {
        Self {
            id: Some(known.id),
            agent: Some(known.agent),
            initial_commit: known.initial_commit,
            started_at: known.started_at,
            transcript: known.transcript,
        }
    }
}

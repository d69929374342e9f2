//! Finds agents by their names.

use super::agent::{AGENTS, Agent, SERVER_SUFFIX, WORKTREES};
use super::server_agents::SERVERS;

pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().chain(SERVERS).chain([&WORKTREES]).find(|agent| agent.name == name)
}

/// Returns the name under which the MCP server is installed for an agent.
pub fn server_name(agent: &str) -> String {
    format!("{agent}{SERVER_SUFFIX}")
}

/// Returns whether an installation for this agent covers all worktrees of a clone.
pub(super) fn is_for_all_worktrees(name: &str) -> bool {
    AGENTS.iter().chain(SERVERS).any(|agent| agent.name == name && agent.name != "git")
}

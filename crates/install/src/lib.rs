//! Installs hooks, commands and instructions for agents and git, and sets up repositories.
//!
//! It installs no agent and starts none. The crate `hooks` handles the calls of the hooks.

mod advice;
mod agent;
mod agent_commands;
mod error;
mod git_hook;
mod ignore;
mod install;
mod install_log;
mod json_hooks;
mod lookup;
mod moves;
mod own_files;
mod program;
mod report;
mod server_agents;
mod server_entry;
mod settings;
pub mod setup;
mod state;
mod store;
mod task;
mod toml_hooks;
mod toml_text;
mod unified;
mod uninstall;
mod worktrees;
mod write;

pub use agent::{AGENTS, Agent, Scope};
pub use error::{HooksError, InstallError, InstallResult};
pub use install::InstallOptions;
pub use lookup::{agent, server_name};
pub use moves::follow_move;
pub use program::DetectedPrograms;
pub use report::{Action, InstallChange, InstallReport};
pub use server_agents::SERVERS;
pub use state::{AgentState, Editor, Installed, editors, states};
pub use store::prepare;
pub use task::written_dirs;
pub use uninstall::{uninstall, uninstall_agents};
pub use worktrees::{follow, install};

/// Returns whether an environment variable sets the settings directory of an agent.
pub fn moves_settings(variable: &str) -> bool {
    let homes = AGENTS.iter().filter_map(|agent| agent.home.as_ref());
    homes.into_iter().any(|home| home.variable == Some(variable))
}

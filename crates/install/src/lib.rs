//! Installs hooks, commands and instructions for agents and git, and sets up repositories.
//!
//! What a hook does when it is called is in `hooks`.

mod advice;
mod agent;
mod error;
mod git_hook;
mod ignore;
mod install;
mod install_log;
mod json_hooks;
mod moves;
mod own_files;
mod program;
mod record;
mod report;
mod settings;
pub mod setup;
mod state;
mod store;
mod task;
mod toml_hooks;
mod tools;
mod unified;
mod uninstall;
mod worktrees;
mod write;

pub(crate) use install_log::serves;
pub use moves::follow_move;

pub use agent::{AGENTS, Agent, Scope, agent};
pub use error::{HooksError, InstallError};
pub use install::InstallOptions;
pub use report::{Action, InstallChange, InstallReport};
pub use state::{AgentState, Editor, Installed, editors, states};
pub use store::prepare;
pub use tools::DetectedPrograms;
pub use uninstall::{uninstall, uninstall_all, uninstall_here};
pub use worktrees::{follow, install};

/// Returns whether a variable of the environment says where an agent keeps its settings.
pub fn moves_settings(variable: &str) -> bool {
    let homes = AGENTS.iter().filter_map(|agent| agent.home.as_ref());
    homes.into_iter().any(|home| home.variable == Some(variable))
}

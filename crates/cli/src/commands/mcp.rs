use std::path::PathBuf;

use clap::Args;

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::machine::PROJECT_DIR;
use crate::servers::McpRequest;

/// Gives an agent review threads and checkpoints as tools, by the Model Context Protocol.
///
/// An agent or editor starts it and talks to it on stdin and stdout; it ends with its input. It works on the directory of `-C`,
/// else on the current one. `docs/mcp.md` has the entry for the settings of each agent.
#[derive(Args, Debug)]
pub(crate) struct McpArgs {
    /// Leaves out the tools that write, and claims no threads.
    #[arg(long)]
    read_only: bool,
}

pub(crate) fn run_mcp(context: &CliContext<'_>, args: &McpArgs) -> CliResult {
    if context.machine.stdin_is_terminal {
        return Err(CliError::new(
            "this command is started by an agent, which talks to it on stdin",
            "add it to the settings of your agent, as `docs/mcp.md` shows; `skein --help` lists the commands for people",
        ));
    }
    let project = context.machine.variables.get(PROJECT_DIR).map(PathBuf::from);
    let project = project.filter(|dir| !context.is_dir_given && dir.is_dir());
    let is_dir_given = context.is_dir_given || project.is_some();
    let dir = project.unwrap_or_else(|| context.workspace.env.dir.clone());
    let env = context.machine.env(Some(&dir))?;
    let request = McpRequest { env, is_dir_given, read_only: args.read_only };
    Ok((context.servers.mcp)(request)?)
}

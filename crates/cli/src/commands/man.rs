use clap::{Args, Command, CommandFactory as _};

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// Prints a manual page.
///
/// To read it: `skein man review add | man -l -`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command, such as `review add`; without one, the page of the program.
    command: Vec<String>,
}

pub(crate) fn run_man(context: &mut CliContext<'_>, args: &ManArgs) -> CliResult {
    let mut root = super::Cli::command().propagate_version(true);
    root.build();
    let page = args.command.iter().try_fold(root, |page, name| find(&page, name))?;
    let source = concat!("skein ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(page).source(source);
    man.render(&mut context.output.out).map_err(CliError::from_output)
}

fn find(root: &Command, name: &str) -> CliResult<Command> {
    root.find_subcommand(name).cloned().ok_or_else(|| no_command(name))
}

pub(super) fn no_command(name: &str) -> CliError {
    CliError::new(format!("no such command: `{name}`"), "run `skein --help` to see every command")
}

use clap::{Args, Command};

use super::Context;
use crate::error::CliError;

/// Prints a manual page.
///
/// To read it: `skein man review add | man -l -`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command, such as `review add`; without one, the page of the program.
    command: Vec<String>,
}

pub(crate) fn run_man(context: &mut Context<'_>, args: &ManArgs) -> Result<u8, CliError> {
    let mut root = crate::args::Cli::command_for_manual();
    root.build();
    let page = args.command.iter().try_fold(root, |page, name| find(&page, name))?;
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(CliError::from_output)?;
    context.output.out.write_all(&text).map_err(CliError::from_output)?;
    Ok(crate::EXIT_OK)
}

fn find(root: &Command, name: &str) -> Result<Command, CliError> {
    let found = root.find_subcommand(name).cloned();
    found.ok_or_else(|| CliError::NoCommand { name: name.to_owned() })
}

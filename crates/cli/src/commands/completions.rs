use clap::Args;
use clap_complete::Shell;

use super::context::CliContext;
use crate::error::{CliError, CliResult};

/// Prints a completion script for a shell.
///
/// For bash: `skein completions bash > ~/.local/share/bash-completion/completions/skein`
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run_completions(context: &mut CliContext<'_>, args: &CompletionsArgs) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "skein", &mut script);
    context.output.out.write_all(&script).map_err(CliError::from_output)
}

use std::ffi::OsString;

use clap::Args;
use clap_complete::Shell;
use clap_complete::env::{EnvCompleter, Shells};
use skein_workspace::discover;

use super::candidates;
use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::machine::{ProcessEnv, Streams};

/// Prints a completion script for a shell.
///
/// The script asks `skein` for the candidates, so that threads, checkpoints, steps, agents, statuses and settings are completed too.
///
/// For bash: `skein completions bash > ~/.local/share/bash-completion/completions/skein`
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// The variable in which a completion script names its shell.
const VARIABLE: &str = "SKEIN_COMPLETE";

pub(crate) fn run_completions(context: &mut CliContext<'_>, args: &CompletionsArgs) -> CliResult {
    let completer =
        find(&args.shell.to_string()).expect("a script exists for each shell that is accepted");
    let mut script = Vec::new();
    let written = completer.write_registration(VARIABLE, "skein", "skein", "skein", &mut script);
    written.map_err(CliError::from_output)?;
    context.output.out.write_all(&script).map_err(CliError::from_output)
}

/// Returns the shell whose completion script runs the program, with the words after `--`.
pub(crate) fn request(machine: &ProcessEnv) -> Option<(&'static dyn EnvCompleter, Vec<OsString>)> {
    let shell = machine.variables.get(VARIABLE)?;
    let start = machine.args.iter().position(|arg| arg == "--")?;
    Some((find(shell)?, machine.args.iter().skip(start + 1).cloned().collect()))
}

fn find(shell: &str) -> Option<&'static dyn EnvCompleter> {
    const SHELLS: Shells<'static> = Shells::builtins();
    SHELLS.0.iter().copied().find(|completer| completer.is(shell))
}

/// Prints the candidates for the last word. Without any, a script completes nothing: a shell shows no errors.
pub(crate) fn complete(
    machine: &ProcessEnv,
    completer: &dyn EnvCompleter,
    words: Vec<OsString>,
    streams: &mut Streams<'_>,
) {
    let mut command = super::command();
    if let Ok(env) = machine.env(start_dir(&words)) {
        command = candidates::add(command, &discover(&env));
    }
    let dir = Some(machine.dir.as_path());
    drop(completer.write_complete(&mut command, words, dir, streams.out));
    drop(streams.out.flush());
}

/// Returns the directory of `-C`.
fn start_dir(words: &[OsString]) -> Option<&std::path::Path> {
    let option = words.iter().position(|word| word == "-C")?;
    words.get(option + 1).map(std::path::Path::new)
}

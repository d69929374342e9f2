//! The command line: parses arguments, calls one use case, prints the result.
//!
//! [`run`] takes a [`ProcessEnv`], which holds everything that the binary read from the environment, and three streams. It reads no
//! variable and starts no program except the user's editor, pager and browser, and the command of `watch --exec`. The web frontend
//! and the chat bridge are passed in as functions, because frontends do not import each other.

mod commands;
mod error;
mod event_commands;
mod machine;
mod output;
mod program;
mod progress;
mod query_args;
mod render;
mod servers;
mod style;
mod terminal;
mod usage_hint;
mod wrap;

use clap::error::ErrorKind;

pub use commands::hook::is_hook;
pub use machine::{ProcessEnv, Streams, is_wanted};
pub use servers::{
    BridgeFailure, BridgeFunctions, LspRequest, McpRequest, OpencodeTurn, ServeRequest,
    ServerError, Servers, Serving, TurnFailure,
};
pub use skein_workspace::search_path;

use crate::commands::command;
use crate::error::CliError;

/// Exit code: done, or the answer is yes.
pub const EXIT_OK: u8 = 0;
/// Exit code: the answer is no.
pub const EXIT_NEGATIVE: u8 = 1;
/// Exit code: an error that the user can fix.
pub const EXIT_ERROR: u8 = 2;
/// Exit code: an error after which a service is not started again until the user has corrected something. systemd calls it CONFIG.
pub const EXIT_FINAL: u8 = 78;

/// Runs the program and returns its exit code.
pub fn run(machine: &ProcessEnv, servers: &Servers, streams: &mut Streams<'_>) -> u8 {
    if is_hook(&machine.args) {
        return commands::hook::run_hook(machine, streams);
    }
    if let Some((completer, words)) = commands::completions::request(machine) {
        commands::completions::complete(machine, completer, words, streams);
        return EXIT_OK;
    }
    let root = command();
    let args = query_args::shield(&root, query_args::help(&root, &machine.args));
    let matches = match root.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return usage(machine, streams, &error),
    };
    let done = commands::run(machine, servers, &matches, streams);
    match done {
        Ok(code) => code,
        Err(CliError::Closed) => EXIT_OK,
        Err(error) => {
            let wanted = matches.get_one::<String>("color").map(String::as_str);
            let color = terminal::color(machine, machine.stderr_is_terminal, wanted);
            // If stderr is closed too, nothing can be reported.
            drop(error::print(&error, &machine.args, color, streams.err));
            error.exit_code()
        }
    }
}

/// Prints the help, the version, or an error in the arguments.
fn usage(machine: &ProcessEnv, streams: &mut Streams<'_>, error: &clap::Error) -> u8 {
    let fine = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let terminal = if fine { machine.stdout_is_terminal } else { machine.stderr_is_terminal };
    let rendered = error.render();
    let text = if terminal::color(machine, terminal, None) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    // Uses the labels of the other errors of the program.
    let text = text.replacen("error:", "Error:", 1).replacen("tip:", "Hint:", 1);
    // The parser suggests to pass a mistyped option as a word.
    let is_useful = |line: &&str| !line.contains("as a value, use '-- ");
    let text = text.lines().filter(is_useful).map(|line| format!("{line}\n")).collect::<String>();
    let more = "For more information, try '--help'.";
    let text = match usage_hint::hint(&command(), &machine.args, error) {
        Some(hint) => {
            let is_own = |line: &&str| !line.contains("tip:") && !line.contains("Hint:");
            let mut kept: Vec<&str> = text.lines().filter(is_own).collect();
            kept.dedup();
            kept.join("\n").replace(more, &format!("Hint: {hint}")) + "\n"
        }
        None => text.replace(more, "Hint: `--help` shows more"),
    };
    let out: &mut dyn std::io::Write = if fine { streams.out } else { streams.err };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written.map_err(CliError::from_output) {
        Err(error) if !matches!(error, CliError::Closed) => {
            drop(error::print(&error, &machine.args, false, streams.err));
            EXIT_ERROR
        }
        _ if fine => EXIT_OK,
        _ => EXIT_ERROR,
    }
}

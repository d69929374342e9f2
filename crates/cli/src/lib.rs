//! The command line: parses arguments, calls one use case of the engine, prints.
//!
//! [`run`] is a function of a [`ProcessEnv`], which holds all that the binary read from its surroundings, and of
//! three streams. It starts no program but the user's editor, pager and browser, and what
//! `watch --exec` names, and reads no variable. The other faces
//! are handed to it as functions, because faces do not know each other.

mod args;
mod commands;
mod error;
mod event_commands;
mod faces;
mod machine;
mod output;
mod program;
mod progress;
mod query_args;
mod render;
mod terminal;
mod usage_hint;

use clap::error::ErrorKind;

pub use commands::hook::is_hook;
pub use faces::{ServeError, ServeRequest, Servers, Serving};
pub use machine::{ProcessEnv, Streams, is_wanted};

use crate::args::command;
use crate::error::CliError;
use crate::output::Output;

/// What the program ends with: done or yes.
pub const EXIT_OK: u8 = 0;
/// What the program ends with: the answer is no.
pub const EXIT_NEGATIVE: u8 = 1;
/// What the program ends with: something that the user can mend.
pub const EXIT_ERROR: u8 = 2;

/// Runs the program and returns its exit code.
pub fn run(machine: &ProcessEnv, faces: &Servers, streams: &mut Streams<'_>) -> u8 {
    if is_hook(&machine.args) {
        return commands::hook::run_hook(machine, streams);
    }
    let root = command();
    let args = query_args::shield(&root, query_args::help(&root, &machine.args));
    let matches = match root.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return usage(machine, streams, &error),
    };
    let done = commands::run(machine, faces, &matches, streams);
    match done {
        Ok(code) => code,
        Err(CliError::Closed) => EXIT_OK,
        Err(error) => {
            let wanted = matches.get_one::<String>("color").map(String::as_str);
            let color = terminal::color(machine, machine.stderr_is_terminal, wanted);
            // There is nobody left to tell when stderr is closed too.
            drop(error::print(&error, &machine.args, color, streams.err));
            EXIT_ERROR
        }
    }
}

/// Prints help, the version or what is wrong with the arguments.
fn usage(machine: &ProcessEnv, streams: &mut Streams<'_>, error: &clap::Error) -> u8 {
    let fine = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let terminal = if fine { machine.stdout_is_terminal } else { machine.stderr_is_terminal };
    let rendered = error.render();
    let text = if terminal::color(machine, terminal, None) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    // The parser's own words for what every other error of the program calls by these.
    let text = text.replacen("error:", "Error:", 1).replacen("tip:", "Hint:", 1);
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
        Err(error @ CliError::Output(_)) => {
            drop(error::print(&error, &machine.args, false, streams.err));
            EXIT_ERROR
        }
        _ if fine => EXIT_OK,
        _ => EXIT_ERROR,
    }
}

impl Output<'_> {
    /// Writes everything that is still in buffers.
    pub(crate) fn finish(&mut self) -> Result<(), CliError> {
        self.out.flush().map_err(CliError::from_output)
    }
}

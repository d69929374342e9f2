//! What only a person may do.
//!
//! An agent acts on texts of other people, and users let agents run `skein` without asking. What starts programs, changes what they may
//! do, or cannot be undone by the agent's own commands is therefore refused in an agent's environment, whoever allowed the command.

use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;
use skein_workspace::env::{DELIVERED_ROOT, canonical};
use skein_workspace::{Actor, Env, Workspace, discover, trust};

use crate::error::{CliError, CliResult};

/// A command that an agent may not run.
struct ReservedCommand {
    /// The names of the command, as in `config set`; its subcommands are included.
    command: &'static str,
    /// The argument without which an agent may run it.
    with: Option<&'static str>,
    /// The argument with which it changes nothing, so that an agent may run it.
    unless: Option<&'static str>,
    /// The end of the sentence "an agent cannot …".
    what: &'static str,
}

/// Returns a command that is reserved in every form.
const fn all(command: &'static str, what: &'static str) -> ReservedCommand {
    ReservedCommand { command, with: None, unless: None, what }
}

/// Returns a command that is reserved with an argument.
const fn with(
    command: &'static str,
    argument: &'static str,
    what: &'static str,
) -> ReservedCommand {
    ReservedCommand { command, with: Some(argument), unless: None, what }
}

/// Every command that only a person may run.
const RESERVED: &[ReservedCommand] = &[
    with("watch", "exec", "run a command for each event"),
    all("config set", "change settings"),
    all("config unset", "change settings"),
    all("config confirm", "change settings"),
    all("review clear", "delete all threads"),
    all("deliver", "deliver threads to other agents"),
    with("review submit", "send", "prompt another session"),
    with("handoff", "post", "write into a chat"),
    all("session send", "prompt another session"),
    all("bridge run", "connect agents with a chat"),
    all("bridge install", "connect agents with a chat"),
    all("bridge uninstall", "change the service of the bridge"),
    with("init", "yes", "install hooks and commands"),
    ReservedCommand {
        unless: Some("dry_run"),
        ..with("install", "agent", "install hooks and commands")
    },
    ReservedCommand { unless: Some("dry_run"), ..all("uninstall", "remove what was installed") },
    all("share", "share the threads of this repository"),
];

const HINT: &str = "ask the user to run this command in their own terminal";

/// Refuses a command that only a person may run.
pub(super) fn check(workspace: &Workspace, matches: &ArgMatches) -> CliResult {
    let Some(reserved) = RESERVED.iter().find(|reserved| reserved.is_in(matches)) else {
        return Ok(());
    };
    if Actor::find(workspace, None).agent {
        return Err(CliError::new(format!("an agent cannot {}", reserved.what), HINT));
    }
    Ok(())
}

/// Refuses the directory of `-C` if an agent names another repository than the one that it works in.
pub(super) fn check_start_dir(own: &Env, named: &Env) -> CliResult {
    if !Actor::is_in_agent(own) {
        return Ok(());
    }
    let delivered = own.variables.get(DELIVERED_ROOT);
    if delivered.is_some_and(|root| canonical(root.as_ref()) == canonical(&named.dir)) {
        return Ok(());
    }
    let (current, other) = (discover(own), discover(named));
    if is_below(&current, &named.dir) || repository(&current) == repository(&other) {
        return Ok(());
    }
    Err(CliError::new(
        format!("an agent cannot use `-C` for another repository: {}", named.dir.display()),
        "ask the user to run this command there, or to start a session in that repository",
    ))
}

fn is_below(current: &Workspace, dir: &Path) -> bool {
    canonical(dir).starts_with(canonical(&current.top()))
}

/// Returns the root of the main checkout, which all worktrees share.
fn repository(workspace: &Workspace) -> Option<std::path::PathBuf> {
    trust::roots(workspace).into_iter().next()
}

impl ReservedCommand {
    /// Returns whether the command line is this command.
    fn is_in(&self, matches: &ArgMatches) -> bool {
        let mut command = matches;
        for name in self.command.split(' ') {
            match command.subcommand() {
                Some((given, args)) if given == name => command = args,
                _ => return false,
            }
        }
        let is_given = |argument: Option<&str>| {
            argument.map(|id| command.value_source(id) == Some(ValueSource::CommandLine))
        };
        is_given(self.with) != Some(false) && is_given(self.unless) != Some(true)
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    /// Arguments that name a file or directory and are not read into a thread, with the reason.
    const OTHER_PATHS: &[(&str, &str)] = &[
        ("start_dir", "`check_start_dir` checks it"),
        ("dir", "the demo is written to a new directory"),
        ("base", "git names the files to merge"),
        ("ours", "git names the files to merge"),
        ("theirs", "git names the files to merge"),
        ("memory", "session maps are read as JSON"),
        ("disks", "session maps are read as JSON"),
        ("output", "a session map, which an agent may change"),
        ("file", "a session map, which an agent may change"),
        ("root", "the name of an entry of the list"),
    ];

    #[test]
    fn the_table_names_commands_and_arguments_that_exist() {
        let root = crate::commands::command();
        for reserved in RESERVED {
            let mut command = &root;
            for name in reserved.command.split(' ') {
                command = command.find_subcommand(name).expect(reserved.command);
            }
            for argument in reserved.with.iter().chain(&reserved.unless) {
                let mut arguments = command.get_arguments();
                assert!(arguments.any(|one| one.get_id() == argument), "{argument}");
            }
        }
    }

    /// A file whose text a command reads is an `InputFile`.
    #[test]
    fn every_argument_that_is_a_path_is_checked() {
        fn visit(command: &Command) {
            for argument in command.get_arguments() {
                let is_path = argument.get_value_parser().type_id()
                    == std::any::TypeId::of::<std::path::PathBuf>();
                let is_known = OTHER_PATHS.iter().any(|(id, _)| argument.get_id() == id);
                assert!(!is_path || is_known, "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(visit);
        }
        visit(&crate::commands::command());
    }
}

//! The state that commands share.

use skein_model::sanitize::{escape_control, one_line};
use skein_workspace::{Actor, Env, Workspace, discover};

use super::{Cli, reserved};
use crate::error::{CliError, CliResult};
use crate::machine::{ProcessEnv, Streams};
use crate::output::Output;
use crate::program::finish_in_background;
use crate::servers::Servers;
use crate::terminal;

pub(crate) struct CliContext<'a> {
    pub(crate) workspace: Workspace,
    pub(crate) output: Output<'a>,
    pub(crate) input: &'a mut dyn std::io::BufRead,
    /// The input that was read from stdin; it is kept if the command fails.
    pub(crate) piped: Option<Vec<u8>>,
    pub(crate) can_ask: bool,
    /// Whether `-C` names the directory.
    pub(crate) is_dir_given: bool,
    pub(crate) machine: &'a ProcessEnv,
    pub(crate) servers: &'a Servers,
    pub(crate) exit_code: u8,
}

impl<'a> CliContext<'a> {
    pub(super) fn new(
        machine: &'a ProcessEnv,
        servers: &'a Servers,
        cli: &Cli,
        streams: &'a mut Streams<'_>,
    ) -> CliResult<Self> {
        let env = machine.env(cli.global.start_dir.as_deref())?;
        if cli.global.start_dir.is_some() {
            reserved::check_start_dir(&machine.env_of_caller(), &env)?;
        }
        let is_passive = super::is_passive(cli.command.as_ref());
        let has_terminal = machine.stdin_is_terminal && machine.stderr_is_terminal;
        let can_ask = has_terminal && !Actor::is_in_agent(&env);
        let workspace = if is_passive { discover(&env) } else { up_to_date_workspace(&env) };
        if !is_passive && skein_checkpoints::has_unfinished(&workspace) {
            finish_in_background(machine, &workspace.env.dir);
        }
        let color = cli.global.color.as_deref().unwrap_or_else(|| workspace.settings.color());
        let output = Output {
            color: terminal::color(machine, machine.stdout_is_terminal, Some(color)),
            width: machine.width.filter(|_| machine.stdout_is_terminal),
            is_json: cli.global.json,
            now: env.clock.now(),
            clock: env.clock.local(),
            out: &mut *streams.out,
            err: &mut *streams.err,
        };
        Ok(Self {
            workspace,
            output,
            input: &mut *streams.input,
            piped: None,
            // The answer of an agent is not that of the user.
            can_ask,
            is_dir_given: cli.global.start_dir.is_some(),
            machine,
            servers,
            exit_code: crate::EXIT_OK,
        })
    }

    /// Sets the exit code of a command that answers a question: 0 for yes, 1 for no.
    pub(crate) fn answer(&mut self, yes: bool) -> CliResult {
        self.exit_code = if yes { crate::EXIT_OK } else { crate::EXIT_NEGATIVE };
        Ok(())
    }

    /// Ends a command after the user answered no.
    pub(crate) fn decline(&mut self, note: &str) -> CliResult {
        self.output.note(note)?;
        self.answer(false)
    }

    /// Asks the user; any answer but yes is a no.
    pub(crate) fn ask(&mut self, question: &str) -> CliResult<bool> {
        // Earlier output must be printed before the question.
        self.output.finish()?;
        let asked = write!(self.output.err, "{} [y/N] ", escape_control(question));
        asked.and_then(|()| self.output.err.flush()).map_err(CliError::from_output)?;
        let mut answer = String::new();
        self.input.read_line(&mut answer).map_err(CliError::from_output)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks the user; returns an error if that is not possible.
    pub(crate) fn confirm(&mut self, what: &str, question: &str) -> CliResult<bool> {
        if !self.can_ask {
            return Err(CliError::new(
                format!("{what} needs confirmation, but stdin is not a terminal"),
                "add `--yes` to do it without asking",
            ));
        }
        self.ask(question)
    }

    /// Warns of stores that are not used, because another user owns them or the settings specify another directory.
    pub(super) fn warn_of_unused_stores(&mut self, codes: &[&str]) -> CliResult {
        for diag in self.workspace.diagnostics.iter().filter(|diag| codes.contains(&diag.code)) {
            let advice = diag.code().map_or("", |code| code.advice());
            let path = one_line(&diag.path);
            self.output.note(&format!("Warning: {path}: {}. {advice}", diag.message))?;
        }
        Ok(())
    }

    /// Adds the workspace to the list for searches of the whole machine, if it has threads. The command may have created the first one.
    pub(super) fn remember_workspace(&self) {
        let workspace = &self.workspace;
        // A copy that fails now is repeated by the next command.
        drop(skein_catalog::refresh_copies(workspace));
        drop(skein_install::follow_move(workspace));
        if self.machine.state_home.is_none() && self.machine.home.is_none() {
            // Without a home directory, state would be written to the current directory.
            return;
        }
        let Workspace { reviews, checkpoints, .. } = workspace;
        let is_created = (!reviews.exists && reviews.threads().is_dir())
            || (!checkpoints.exists && checkpoints.threads().is_dir());
        if is_created {
            skein_workspace::registry::remember(&discover(&workspace.env));
        } else {
            skein_workspace::registry::remember(workspace);
        }
    }
}

/// Finds the workspace. Checkpoints that sandboxed agents wrote in its worktrees are first moved to its store.
fn up_to_date_workspace(env: &Env) -> Workspace {
    let workspace = discover(env);
    drop(skein_install::follow_move(&workspace));
    // A move that fails now is repeated by the next command.
    match skein_checkpoints::catch_up(&workspace) {
        Some(_) => discover(env),
        None => workspace,
    }
}

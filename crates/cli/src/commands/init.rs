//! `init`: creates the store of review threads and sets up agents.

use clap::Args;
use serde::Serialize;
use skein_install::setup::Setup;
use skein_install::{AgentState, Editor, InstallOptions, InstallReport, setup};
use skein_model::sanitize::escape_control;
use skein_workspace::trust;

use super::context::CliContext;
use super::install::{install, lines, notes};
use crate::error::{CliError, CliResult};

/// Creates the store of review threads here, and sets up the agents that it finds.
///
/// Commands that need the store create it themselves. In a clone of a repository that shares its threads this sets up merging.
/// If it finds agents (Claude Code, Codex, OpenCode, Gemini CLI, Cursor), it shows what it would change for them and asks once.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// Installs for the agents that it finds, without asking.
    #[arg(long, short)]
    yes: bool,
}

/// The result of `init`, as JSON.
#[derive(Serialize)]
struct InitReport<'a> {
    #[serde(flatten)]
    setup: &'a Setup,
    agents: &'a [AgentState],
    editors: &'a [Editor],
    /// The changes that an installation makes or has made.
    plan: &'a [InstallReport],
    installed: bool,
}

pub(crate) fn run_init(context: &mut CliContext<'_>, args: &InitArgs) -> CliResult {
    let setup = setup::init(&context.workspace)?;
    let tools = context.machine.tools();
    let agents = skein_install::states(&context.workspace, &tools);
    let editors = skein_install::editors(&context.workspace, &tools);
    let missing: Vec<&AgentState> = agents.iter().filter(|state| is_missing(state)).collect();
    if context.output.is_json {
        let plan = install_all(context, &missing, !args.yes)?;
        accept(context, &agents, args.yes)?;
        let (setup, agents, editors, plan) = (&setup, &agents, &editors, &plan);
        let installed = args.yes;
        context.output.document(&InitReport { setup, agents, editors, plan, installed })?;
        return Ok(());
    }
    for line in &setup.done {
        context.output.line(&escape_control(line))?;
    }
    let is_installed = offer(context, &missing, args.yes)?;
    if accept(context, &agents, is_installed || context.can_ask)? {
        context.output.note("Hooks in this workspace may now pass threads to agents")?;
    }
    for editor in &editors {
        context.output.note(&format!("{}: {}", editor.name, editor.note))?;
    }
    context.output.notes(&setup.next)?;
    Ok(())
}

fn is_missing(state: &AgentState) -> bool {
    let is_old = state.installed.iter().any(|installed| !installed.current);
    state.agent != "git" && !state.detected.is_empty() && (state.installed.is_empty() || is_old)
}

/// Shows the changes of an installation, and installs if the user agrees; returns whether it was installed.
fn offer(context: &mut CliContext<'_>, missing: &[&AgentState], yes: bool) -> CliResult<bool> {
    if missing.is_empty() {
        return Ok(false);
    }
    if !yes {
        for mut report in install_all(context, missing, true)? {
            // One line for each file is enough to decide; `install --dry-run` shows the rest.
            report.changes.iter_mut().for_each(|change| change.diff = None);
            lines(context, &report)?;
        }
        let names: Vec<&str> = missing.iter().map(|state| state.title).collect();
        let names = names.join(" and ");
        if !context.can_ask || !context.ask(&format!("Install Skein for {names}?"))? {
            for state in missing {
                context.output.note(&format!(
                    "`skein install {}` installs it for {}; `--dry-run` shows the changes",
                    state.agent, state.title
                ))?;
            }
            return Ok(false);
        }
    }
    for report in install_all(context, missing, false)? {
        lines(context, &report)?;
        notes(context, &report)?;
    }
    Ok(true)
}

fn install_all(
    context: &mut CliContext<'_>,
    missing: &[&AgentState],
    dry_run: bool,
) -> CliResult<Vec<InstallReport>> {
    let mut reports = Vec::new();
    for state in missing {
        let scope = state.installed.first().map(|installed| installed.scope);
        match install(context, state.agent, &InstallOptions { scope, dry_run, consent: false }) {
            Ok(report) => reports.push(report),
            // A failure for one agent does not stop the others.
            Err(error) => {
                let error = CliError::from(error);
                crate::error::print(
                    &error,
                    &context.machine.args,
                    context.output.color,
                    context.output.err,
                )
                .map_err(CliError::from_output)?;
            }
        }
    }
    Ok(reports)
}

/// Records that hooks may pass threads of this workspace to agents; returns whether that is new.
fn accept(context: &mut CliContext<'_>, agents: &[AgentState], is_wanted: bool) -> CliResult<bool> {
    let any = agents.iter().any(|state| !state.installed.is_empty());
    if !is_wanted || !any {
        return Ok(false);
    }
    let created = skein_install::prepare(&context.workspace)?;
    let mut is_new = !created.is_empty();
    for line in created {
        context.output.note(&escape_control(&line))?;
    }
    for root in trust::roots(&context.workspace) {
        is_new |= trust::accept(&context.workspace.env, &root)?;
    }
    Ok(is_new)
}

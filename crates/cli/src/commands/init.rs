//! `init`: the store of review threads, and what the agents here need.

use clap::Args;
use serde::Serialize;
use skein_install::setup::Setup;
use skein_install::{AgentState, Editor, InstallOptions, InstallReport, setup};
use skein_workspace::trust;

use super::install::{lines, notes, put};
use super::{Context, ask};
use crate::error::CliError;
use crate::terminal::escape_control;

/// Creates the store of review threads here, and sets up the agents that are found.
///
/// Commands that need the store create it by themselves. In a clone of a repository that shares its threads this sets up their merging.
/// Where Claude Code, Codex or OpenCode is found, it shows what it would change for them and asks once.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// Installs for the agents that are found without asking.
    #[arg(long, short)]
    yes: bool,
}

/// What there is besides the store.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    setup: &'a Setup,
    agents: &'a [AgentState],
    editors: &'a [Editor],
    /// What installing changes, or did.
    plan: &'a [InstallReport],
    installed: bool,
}

pub(crate) fn run_init(context: &mut Context<'_>, args: &InitArgs) -> Result<u8, CliError> {
    let setup = setup::init(&context.workspace, &context.env)?;
    let tools = context.machine.tools();
    let agents = skein_install::states(&context.workspace, &context.env, &tools);
    let editors = skein_install::editors(&context.workspace, &tools);
    let missing: Vec<&AgentState> = agents.iter().filter(|state| is_missing(state)).collect();
    if context.output.json {
        let plan = put_all(context, &missing, !args.yes)?;
        accept(context, &agents, args.yes)?;
        let (setup, agents, editors, plan) = (&setup, &agents, &editors, &plan);
        let installed = args.yes;
        context.output.document(&Found { setup, agents, editors, plan, installed })?;
        return Ok(crate::EXIT_OK);
    }
    for line in &setup.done {
        context.output.line(&escape_control(line))?;
    }
    let said = offer(context, &missing, args.yes)?;
    if accept(context, &agents, said || context.can_ask)? {
        context.output.note("Hooks may tell agents of the threads here")?;
    }
    for editor in &editors {
        context.output.note(&format!("{}: {}", editor.name, editor.note))?;
    }
    for line in &setup.next {
        context.output.note(line)?;
    }
    Ok(crate::EXIT_OK)
}

fn is_missing(state: &AgentState) -> bool {
    let is_old = state.installed.iter().any(|installed| !installed.current);
    state.agent != "git" && !state.detected.is_empty() && (state.installed.is_empty() || is_old)
}

/// Shows what installing would change, and does it when the user agrees; true when it was done.
fn offer(context: &mut Context<'_>, missing: &[&AgentState], yes: bool) -> Result<bool, CliError> {
    if missing.is_empty() {
        return Ok(false);
    }
    if !yes {
        for mut report in put_all(context, missing, true)? {
            // One line for each file is enough to decide; `install --dry-run` shows the rest.
            report.changes.iter_mut().for_each(|change| change.diff = None);
            lines(context, &report)?;
        }
        let names: Vec<&str> = missing.iter().map(|state| state.title).collect();
        let names = names.join(" and ");
        if !context.can_ask || !ask(context, &format!("Install Skein for {names}?"))? {
            for state in missing {
                context.output.note(&format!(
                    "`skein install {}` installs it for {}; `--dry-run` shows what that changes",
                    state.agent, state.title
                ))?;
            }
            return Ok(false);
        }
    }
    for report in put_all(context, missing, false)? {
        lines(context, &report)?;
        notes(context, &report)?;
    }
    Ok(true)
}

fn put_all(
    context: &mut Context<'_>,
    missing: &[&AgentState],
    dry_run: bool,
) -> Result<Vec<InstallReport>, CliError> {
    let mut reports = Vec::new();
    for state in missing {
        let scope = state.installed.first().map(|installed| installed.scope);
        match put(context, state.agent, &InstallOptions { scope, dry_run, consent: false }) {
            Ok(report) => reports.push(report),
            // One agent's settings must not keep the others from theirs.
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

/// Keeps that the user wants hooks to speak here; true when that is news.
fn accept(
    context: &mut Context<'_>,
    agents: &[AgentState],
    is_meant: bool,
) -> Result<bool, CliError> {
    let any = agents.iter().any(|state| !state.installed.is_empty());
    if !is_meant || !any {
        return Ok(false);
    }
    let made = skein_install::prepare(&context.workspace, &context.env)?;
    let mut is_news = !made.is_empty();
    for line in made {
        context.output.note(&escape_control(&line))?;
    }
    for root in trust::roots(&context.workspace) {
        is_news |= trust::accept(&context.env, &root)?;
    }
    Ok(is_news)
}

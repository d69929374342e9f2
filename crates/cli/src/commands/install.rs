//! `install`: hooks and commands for agents, and a hook for git.

use clap::Args;
use skein_install::{Action, AgentState, InstallChange, InstallOptions, InstallReport, Scope};
use skein_model::sanitize::escape_control;
use skein_workspace::trust;

use super::context::CliContext;
use crate::error::CliResult;
use crate::render::style;

/// Installs hooks and commands for an agent or for git.
///
/// Adds hooks to the agent's own settings file, and the commands `/checkpoint`, `/handoff` and `/review`. The rest
/// of the file is not changed. Running it again changes nothing, or updates an older installation; `skein uninstall
/// AGENT` undoes it exactly. Without a name, lists the agents and what is installed for them. With `--mcp`, adds the entry that
/// starts `skein mcp` instead, so that the agent gets review threads and checkpoints as tools.
#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    /// The agent: claude-code, codex, opencode, gemini-cli, cursor, or git; with `--mcp` also vscode or zed.
    #[arg(value_name = "AGENT")]
    agent: Option<String>,

    /// Adds the tools of `skein mcp` instead of hooks and commands.
    #[arg(long, requires = "agent")]
    mcp: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Shows what would change in each file, without writing.
    #[arg(long, short = 'n', requires = "agent")]
    dry_run: bool,

    /// Does not ask before a change that may affect others, such as hooks that several repositories share.
    #[arg(long, short, requires = "agent")]
    yes: bool,
}

/// For whom Skein is installed.
#[derive(Args, Debug)]
pub(crate) struct ScopeArgs {
    /// For this checkout only; git ignores it.
    #[arg(long, requires = "agent", conflicts_with_all = ["project", "user"])]
    local: bool,

    /// For everyone who works on the repository, once you commit it.
    #[arg(long, requires = "agent", conflicts_with = "user")]
    project: bool,

    /// For you, in every directory.
    #[arg(long, requires = "agent")]
    user: bool,
}

impl ScopeArgs {
    pub(crate) fn scope(&self) -> Option<Scope> {
        let all =
            [(self.local, Scope::Local), (self.project, Scope::Project), (self.user, Scope::User)];
        all.into_iter().find(|(is_given, _)| *is_given).map(|(_, scope)| scope)
    }
}

pub(crate) fn run_install(context: &mut CliContext<'_>, args: &InstallArgs) -> CliResult {
    let Some(agent) = &args.agent else { return list(context) };
    let agent = &if args.mcp { skein_install::server_name(agent) } else { agent.clone() };
    let mut options =
        InstallOptions { scope: args.scope.scope(), dry_run: args.dry_run, consent: args.yes };
    let report = match install(context, agent, &options) {
        Err(skein_install::InstallError::HooksPath { dir }) if context.can_ask && !args.dry_run => {
            let question = format!(
                "Git runs the hooks of {}, which other repositories may use too. Install there?",
                dir.display()
            );
            if !context.ask(&question)? {
                return context.decline("Nothing was changed.");
            }
            options.consent = true;
            install(context, agent, &options)?
        }
        done => done?,
    };
    print(context, &report)
}

/// Installs for one agent.
pub(crate) fn install(
    context: &CliContext<'_>,
    agent: &str,
    options: &InstallOptions,
) -> Result<InstallReport, skein_install::InstallError> {
    let tools = context.machine.tools();
    skein_install::install(&context.workspace, &tools, agent, options)
}

/// Prints the change of each file.
pub(crate) fn print(context: &mut CliContext<'_>, report: &InstallReport) -> CliResult {
    if !context.output.print_json(report)? {
        lines(context, report)?;
        if !report.changes_anything() && report.failed.is_empty() {
            context.output.line("Nothing to do.")?;
        }
        notes(context, report)?;
    }
    context.answer(report.failed.is_empty())
}

/// Prints a line for each file that changes or is kept.
pub(crate) fn lines(context: &mut CliContext<'_>, report: &InstallReport) -> CliResult {
    for change in report.changes.iter().filter(|change| change.action != Action::Same) {
        if let Some(diff) = &change.diff {
            for line in diff.lines() {
                let style = match line.chars().next() {
                    Some('+') => style::ADDED,
                    Some('-') => style::REMOVED,
                    _ => anstyle::Style::new(),
                };
                context.output.styled(style, &escape_control(line))?;
            }
            continue;
        }
        context.output.line(&escape_control(&line(change, report.dry_run)))?;
    }
    Ok(())
}

/// Prints notes and failures.
pub(crate) fn notes(context: &mut CliContext<'_>, report: &InstallReport) -> CliResult {
    context.output.notes(&report.notes)?;
    for failed in &report.failed {
        context.output.note(&format!("Not done: {failed}"))?;
    }
    Ok(())
}

/// Returns the changes as lines.
pub(crate) fn texts(report: &InstallReport) -> Vec<String> {
    let changes = report.changes.iter().filter(|change| change.action != Action::Same);
    let lines = changes.map(|change| line(change, report.dry_run));
    lines.chain(report.notes.iter().cloned()).collect()
}

fn line(change: &InstallChange, dry_run: bool) -> String {
    let InstallChange { file, reason, .. } = change;
    let reason = reason.as_deref().unwrap_or_default();
    let (done, would) = match change.action {
        Action::Create => ("Created", "Would create"),
        Action::Edit => ("Changed", "Would change"),
        Action::Remove => ("Removed", "Would remove"),
        Action::Rename => ("Renamed", "Would rename"),
        Action::Keep => return format!("Left {file}: {reason}"),
        Action::Same => return format!("Up to date: {file}"),
    };
    let verb = if dry_run { would } else { done };
    if reason.is_empty() { format!("{verb} {file}") } else { format!("{verb} {file} {reason}") }
}

fn list(context: &mut CliContext<'_>) -> CliResult {
    let tools = context.machine.tools();
    let states = skein_install::states(&context.workspace, &tools);
    if context.output.print_json(&serde_json::json!({ "agents": states }))? {
        return Ok(());
    }
    let width = states.iter().map(|state| state.agent.len()).max().unwrap_or_default();
    for state in &states {
        let name = format!("{:<width$}", state.agent);
        let name = context.output.paint(style::HANDLE, &name);
        context.output.line(&format!("{name}  {}", escape_control(&about(state))))?;
        for installed in &state.installed {
            for file in &installed.files {
                context.output.line(&format!("{:width$}    {}", "", escape_control(file)))?;
            }
        }
    }
    // Only hooks pass text; the tools of `--mcp` and the hook of git do not depend on the acceptance.
    let has_hooks = |state: &&AgentState| state.agent != "git" && !state.agent.ends_with(" --mcp");
    let installed = states.iter().filter(has_hooks).find(|state| !state.installed.is_empty());
    let roots = trust::roots(&context.workspace);
    let is_accepted = roots.iter().all(|root| trust::is_accepted(&context.workspace.env, root));
    if let Some(state) = installed.filter(|_| !is_accepted) {
        context.output.note(&format!(
            "Hooks pass nothing to agents here, because this workspace is not accepted; `skein install {}` accepts it",
            state.agent
        ))?;
    }
    let is_missing = |state: &AgentState| state.installed.is_empty() && !state.detected.is_empty();
    if states.iter().any(is_missing) {
        context.output.note("`skein install AGENT` installs it; `--dry-run` shows the changes")?;
    }
    Ok(())
}

fn about(state: &AgentState) -> String {
    if state.installed.is_empty() {
        return match state.detected.is_empty() {
            true => "not found here".to_owned(),
            false => format!("not installed; found {}", state.detected.join(", ")),
        };
    }
    let one = |installed: &skein_install::Installed| match installed.current {
        true => format!("installed ({})", installed.scope.name()),
        false => format!(
            "installed ({}), not up to date: `skein install {} --{}`",
            installed.scope.name(),
            state.agent,
            installed.scope.name()
        ),
    };
    state.installed.iter().map(one).collect::<Vec<_>>().join(", ")
}

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use skein_format::time::Time;
use skein_model::bridge::{BridgeCheckStep, BridgeService, CheckState, ServiceAction};
use skein_model::sanitize::one_line;

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::render::table;
use crate::servers::BridgeFailure;
use crate::style;

/// What a settings file needs at least.
const SETTINGS: &str = "\
Settings, in ~/.config/skein/bridge.toml:
  owners = [\"@mira\"]           # your name in Mattermost
  directories = [\"~/lantern\"]  # where sessions may work
  [mattermost]
  address = \"https://chat.example.org\"
  token_file = \"~/.config/skein/bridge-token\"  # with the token of the bot; chmod 600";

/// Controls sessions of OpenCode from threads of Mattermost.
///
/// Each session has a thread: replies are prompts, and the answers appear there while they are written. Only the users in the
/// settings may use it. The settings are in `~/.config/skein/bridge.toml`; `docs/bridge.md` describes them.
///
/// Example: skein bridge check && skein bridge run
#[derive(Args, Debug)]
#[command(after_long_help = SETTINGS)]
pub(crate) struct BridgeArgs {
    #[command(subcommand)]
    command: BridgeCommands,
}

#[derive(Debug, Subcommand)]
enum BridgeCommands {
    /// Connects the bot with OpenCode until it is stopped with Ctrl-C.
    Run,
    /// Tests every setting against both servers, and shows what to fix; exits with 1 if the bridge cannot run.
    Check,
    /// Shows whether a bridge runs, and how much waits.
    Status,
    /// Shows who asked what of the agent, the newest last.
    Log {
        /// Shows this many entries.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        count: usize,
    },
    /// Writes a service file, with which the system starts the bridge when you log in: systemd on Linux, launchd on macOS.
    Install,
    /// Removes the service file that `install` wrote.
    Uninstall,
}

pub(crate) fn run_bridge(context: &mut CliContext<'_>, args: &BridgeArgs) -> CliResult {
    match args.command {
        BridgeCommands::Run => run(context),
        BridgeCommands::Check => check(context),
        BridgeCommands::Status => status(context),
        BridgeCommands::Log { count } => log(context, count),
        BridgeCommands::Install => {
            let service = (context.servers.bridge.install)(&context.workspace.env)?;
            print_service(context, &service)
        }
        BridgeCommands::Uninstall => {
            let service = (context.servers.bridge.uninstall)(&context.workspace.env)?;
            print_service(context, &service)
        }
    }
}

fn run(context: &mut CliContext<'_>) -> CliResult {
    context.output.finish()?;
    (context.servers.bridge.run)(context.workspace.env.clone()).map_err(not_run)
}

fn not_run(failure: BridgeFailure) -> CliError {
    let error = CliError::from(failure.error).context("the bridge cannot run");
    if failure.is_final { CliError::Final { source: Box::new(error) } } else { error }
}

fn check(context: &mut CliContext<'_>) -> CliResult {
    let result = (context.servers.bridge.check)(&context.workspace.env);
    if !context.output.print_json(&result)? {
        for step in &result.steps {
            print_step(context, step)?;
        }
        if result.ok {
            context.output.note("The bridge can run: `skein bridge run`.")?;
        }
    }
    context.answer(result.ok)
}

fn print_step(context: &mut CliContext<'_>, step: &BridgeCheckStep) -> CliResult {
    let look = match step.state {
        CheckState::Ok => style::HINT,
        CheckState::Warning => style::WARNING,
        CheckState::Failed => style::ERROR,
        CheckState::Skipped => style::DIM,
    };
    let state = context.output.paint(look, &format!("{:<8}", step.state.as_str()));
    context.output.line(&format!("{state} {:<12} {}", step.name, one_line(&step.detail)))?;
    match &step.hint {
        Some(hint) => context.output.line(&format!("{:<21} Hint: {}", "", one_line(hint))),
        None => Ok(()),
    }
}

fn status(context: &mut CliContext<'_>) -> CliResult {
    let status = (context.servers.bridge.status)(&context.workspace.env)?;
    if context.output.print_json(&status)? {
        return Ok(());
    }
    let server = status.address.as_deref().unwrap_or("no server is set");
    context.output.line(&match status.running {
        true => format!("A bridge is running: {}", one_line(server)),
        false => format!("No bridge is running ({}).", one_line(server)),
    })?;
    let count = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    let counts = [
        count(status.sessions, "session"),
        format!("{} without an answer", count(status.prompts, "prompt")),
        format!("{} to approve or answer", count(status.requests, "request")),
    ];
    context.output.line(&counts.join(", "))?;
    if !status.running {
        context
            .output
            .note("`skein bridge check` tests the settings, `skein bridge run` starts it.")?;
    }
    Ok(())
}

fn log(context: &mut CliContext<'_>, count: usize) -> CliResult {
    let entries = (context.servers.bridge.log)(&context.workspace.env, count)?;
    if context.output.print_json(&json!({ "entries": entries }))? {
        return Ok(());
    }
    if entries.is_empty() {
        return context.output.note("Nothing was asked of the agent yet.");
    }
    let text =
        |entry: &Value, key: &str| one_line(entry.get(key).and_then(Value::as_str).unwrap_or("-"));
    let at = |entry: &Value| {
        let millis = entry.get("at").and_then(Value::as_i64).unwrap_or_default();
        Time::from_millis(millis).to_string()
    };
    let cells = |entry: &Value| {
        let words = ["user", "session", "result", "what"].map(|key| text(entry, key));
        std::iter::once(at(entry)).chain(words).collect()
    };
    let rows: Vec<Vec<String>> = entries.iter().map(cells).collect();
    table::plain(
        &mut context.output,
        &["when", "user", "session", "result", "what"],
        &rows,
        &["session"],
    )
}

fn print_service(context: &mut CliContext<'_>, service: &BridgeService) -> CliResult {
    if context.output.print_json(service)? {
        return Ok(());
    }
    let what = match service.action {
        ServiceAction::Created => "Wrote",
        ServiceAction::Updated => "Updated",
        ServiceAction::Unchanged => "Unchanged:",
        ServiceAction::Removed => "Removed",
        ServiceAction::Absent => "There is no service file:",
    };
    context.output.line(&format!("{what} {}", one_line(&service.file)))?;
    for command in &service.next {
        context.output.note(&format!("Next: `{command}`"))?;
    }
    Ok(())
}

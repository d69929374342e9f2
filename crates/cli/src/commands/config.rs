use clap::{Args, Subcommand};
use serde::Serialize;
use skein_review::agents_may_resolve;
use skein_workspace::settings::{KEYS, REPOSITORY_FILE, SettingKey, SettingOrigin, Trust, Value};
use skein_workspace::{Actor, settings};

use super::Context;
use crate::error::CliError;
use crate::render::{style, text};
use crate::terminal::{escape_control, one_line};

/// A value that is wider does not move the column after it.
const MAX_WIDTH: usize = 48;

/// Shows and changes settings.
///
/// Built in, then your own file, then the repository's `.skein.toml`, then variables such as `SKEIN_COLOR`, then
/// flags: the later one counts. A repository can set only what is safe from a stranger.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Lists every setting, its value and where that comes from.
    List,
    /// Prints the value of a setting.
    Get {
        /// The setting, as in `review.agents`.
        key: String,
    },
    /// Sets a setting in your own file, or in that of the repository.
    Set {
        /// The setting.
        key: String,
        /// The value; a list has commas between its parts.
        value: String,
        /// In `.skein.toml` at the top of the repository, which counts there alone and for everyone who has the file.
        #[arg(long)]
        repository: bool,
    },
    /// Takes a setting out of your own file.
    Unset {
        /// The setting.
        key: String,
    },
    /// Prints the path of your own settings file.
    Path,
}

#[derive(Serialize)]
struct Shown {
    key: &'static str,
    value: Option<Value>,
    origin: String,
    help: &'static str,
}

pub(crate) fn run_config(context: &mut Context<'_>, args: &ConfigArgs) -> Result<u8, CliError> {
    match &args.command {
        None | Some(ConfigCommand::List) => {
            list(context)?;
            remarks(context)?;
        }
        Some(ConfigCommand::Get { key }) => return get(context, find(key)?),
        Some(ConfigCommand::Set { key, value, repository }) => {
            set(context, find(key)?, value, *repository)?;
        }
        Some(ConfigCommand::Unset { key }) => {
            let key = find(key)?;
            refuse_agents(context, key)?;
            let path = settings::unset(&context.env, key).map_err(set_error)?;
            context.output.note(&format!("Wrote {}", path.display()))?;
        }
        Some(ConfigCommand::Path) => {
            let path = settings::user_file(&context.env);
            let path = path.ok_or(set_error(settings::SetError::NoHome))?;
            context.output.line(&path.display().to_string())?;
        }
    }
    Ok(crate::EXIT_OK)
}

fn find(name: &str) -> Result<&'static SettingKey, CliError> {
    let found = KEYS.iter().find(|key| key.name == name);
    found.ok_or_else(|| CliError::NoSetting {
        name: name.to_owned(),
        nearest: settings::nearest(name).map(|key| key.name),
    })
}

fn list(context: &mut Context<'_>) -> Result<(), CliError> {
    let shown: Vec<Shown> = KEYS.iter().map(|key| shown(context, key)).collect();
    if context.output.json {
        return context.output.document(&shown);
    }
    let values: Vec<Option<String>> = shown
        .iter()
        .map(|one| one.value.as_ref().map(|value| one_line(&value.to_string())))
        .collect();
    let widths = values.iter().flatten().map(|value| text::columns(value));
    let width = widths.filter(|width| *width <= MAX_WIDTH).max().unwrap_or_default();
    for (one, value) in shown.iter().zip(values) {
        let key = context.output.paint(style::HANDLE, &format!("{:<26}", one.key));
        let value = match value {
            Some(value) => format!("{} {}", text::pad(&value, width), one_line(&one.origin)),
            None => "(not set)".to_owned(),
        };
        context.output.line(&format!("{key} {value}"))?;
        let help = context.output.paint(style::DIM, one.help);
        context.output.line(&format!("{:26} {help}", ""))?;
    }
    Ok(())
}

/// Says which settings were passed over, and why.
fn remarks(context: &mut Context<'_>) -> Result<(), CliError> {
    let found = context.workspace.diagnostics.iter();
    let lines: Vec<String> = found
        .filter(|diag| diag.code.starts_with("settings-"))
        .map(|diag| format!("{}: {}: {}", diag.severity, diag.path, diag.message))
        .collect();
    lines.iter().try_for_each(|line| context.output.note(line))
}

fn shown(context: &Context<'_>, key: &SettingKey) -> Shown {
    let (mut value, origin) = context.workspace.settings.get(key);
    let origin = match origin {
        SettingOrigin::BuiltIn if key.trust == Trust::DefaultBranch => {
            let (may, branch) = agents_may_resolve(&context.workspace);
            value = Some(Value::Flag(may));
            branch.map_or("built in".to_owned(), |branch| format!("{REPOSITORY_FILE} on {branch}"))
        }
        SettingOrigin::BuiltIn => "built in".to_owned(),
        SettingOrigin::File(path) => path.display().to_string(),
        SettingOrigin::Variable(name) => name,
        SettingOrigin::Flag => "flag".to_owned(),
    };
    Shown { key: key.name, value, origin, help: key.help }
}

/// Prints a value; a setting that is not set has none, and the answer is no.
fn get(context: &mut Context<'_>, key: &SettingKey) -> Result<u8, CliError> {
    let shown = shown(context, key);
    if context.output.json {
        context.output.document(&shown)?;
    } else if let Some(value) = &shown.value {
        context.output.line(&escape_control(&value.to_string()))?;
    }
    Ok(if shown.value.is_some() { crate::EXIT_OK } else { crate::EXIT_NEGATIVE })
}

fn set(
    context: &mut Context<'_>,
    key: &'static SettingKey,
    text: &str,
    in_repository: bool,
) -> Result<(), CliError> {
    refuse_agents(context, key)?;
    let value = key.parse(text).filter(|value| key.accepts(value));
    let value = value.ok_or_else(|| CliError::BadSetting {
        name: key.name,
        takes: key.takes,
        value: text.to_owned(),
    })?;
    let env = &context.env;
    let top = context.workspace.git.as_ref().and_then(|git| git.top.as_ref()).unwrap_or(&env.dir);
    let path = match in_repository {
        true => settings::set_in_repository(env, top, key, &value),
        false => settings::set(env, key, &value),
    };
    context.output.note(&format!("Wrote {}", path.map_err(set_error)?.display()))
}

/// Keeps an agent from lifting a rule that is made for agents.
fn refuse_agents(context: &Context<'_>, key: &'static SettingKey) -> Result<(), CliError> {
    if key.trust == Trust::DefaultBranch && Actor::is_in_agent(&context.env) {
        return Err(CliError::AgentSetting { name: key.name });
    }
    Ok(())
}

fn set_error(error: settings::SetError) -> CliError {
    CliError::Set(Box::new(error))
}

use clap::{Args, Subcommand};
use serde::Serialize;
use skein_model::sanitize::{escape_control, one_line};
use skein_review::resolve_permission;
use skein_workspace::settings::{
    self, KEYS, REPOSITORY_FILE, SettingKey, SettingOrigin, Trust, Value,
};
use skein_workspace::trust;

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::render::{style, text};

/// Maximum width of a value for which the next column is aligned.
const MAX_WIDTH: usize = 48;

/// Shows and changes settings.
///
/// Defaults, then your own file, then the repository's `.skein.toml`, then variables such as `SKEIN_COLOR`, then
/// flags: the last one wins. A repository can set only what is safe if you do not trust it.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Lists every setting, its value and its origin.
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
        /// The value; the items of a list are separated by commas.
        value: String,
        /// Sets it in `.skein.toml` at the top of the repository, for everyone who has the file.
        #[arg(long)]
        repository: bool,
    },
    /// Removes a setting from your own file.
    Unset {
        /// The setting.
        key: String,
    },
    /// Lets a setting on the default branch take effect in this repository, on this machine.
    ///
    /// For `review.agents_may_resolve`: an agent could move the branch, so it counts only after a person has confirmed it.
    Confirm {
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

pub(crate) fn run_config(context: &mut CliContext<'_>, args: &ConfigArgs) -> CliResult {
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
            let path = settings::unset(&context.workspace.env, key).map_err(set_error)?;
            context.output.note(&format!("Wrote {}", path.display()))?;
        }
        Some(ConfigCommand::Confirm { key }) => confirm(context, find(key)?)?,
        Some(ConfigCommand::Path) => {
            let path = settings::user_file(&context.workspace.env);
            let path = path.ok_or(set_error(settings::SetError::NoHome))?;
            context.output.line(&path.display().to_string())?;
        }
    }
    Ok(())
}

fn find(name: &str) -> CliResult<&'static SettingKey> {
    let found = KEYS.iter().find(|key| key.name == name);
    found.ok_or_else(|| {
        let hint = match settings::nearest(name) {
            Some(key) => {
                format!("did you mean `{}`? `skein config list` shows every setting", key.name)
            }
            None => "run `skein config list` to see every setting".to_owned(),
        };
        CliError::new(format!("there is no setting `{name}`"), hint)
    })
}

fn list(context: &mut CliContext<'_>) -> CliResult {
    let shown: Vec<Shown> = KEYS.iter().map(|key| shown(context, key)).collect();
    if context.output.print_json(&shown)? {
        return Ok(());
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

/// Prints which settings were ignored, and why.
fn remarks(context: &mut CliContext<'_>) -> CliResult {
    if resolve_permission(&context.workspace).is_unconfirmed {
        context.output.note(&format!(
            "The default branch lets agents resolve threads; `skein config confirm {RESOLVING}` lets them do it here"
        ))?;
    }
    let found = context.workspace.diagnostics.iter();
    let mut found = found.filter(|diag| diag.code.starts_with("settings-"));
    found.try_for_each(|diag| {
        context.output.note(&format!("{}: {}: {}", diag.severity, diag.path, diag.message))
    })
}

fn shown(context: &CliContext<'_>, key: &SettingKey) -> Shown {
    let (mut value, origin) = context.workspace.settings.get(key);
    let origin = match origin {
        SettingOrigin::BuiltIn if key.trust == Trust::DefaultBranch => {
            let permission = resolve_permission(&context.workspace);
            value = Some(Value::Flag(permission.is_given));
            let file = permission.branch.map(|branch| format!("{REPOSITORY_FILE} on {branch}"));
            match file {
                Some(file) if permission.is_unconfirmed => format!("{file}, not confirmed"),
                Some(file) => file,
                None => "built in".to_owned(),
            }
        }
        SettingOrigin::BuiltIn => "built in".to_owned(),
        SettingOrigin::File(path) => path.display().to_string(),
        SettingOrigin::Variable(name) => name,
        SettingOrigin::Flag => "flag".to_owned(),
    };
    Shown { key: key.name, value, origin, help: key.help }
}

/// Prints a value; exits with 1 if the setting is not set.
fn get(context: &mut CliContext<'_>, key: &SettingKey) -> CliResult {
    let shown = shown(context, key);
    if !context.output.print_json(&shown)?
        && let Some(value) = &shown.value
    {
        context.output.line(&escape_control(&value.to_string()))?;
    }
    context.answer(shown.value.is_some())
}

fn set(
    context: &mut CliContext<'_>,
    key: &'static SettingKey,
    text: &str,
    in_repository: bool,
) -> CliResult {
    let value = key.parse(text).filter(|value| key.accepts(value));
    let value = value.ok_or_else(|| {
        let message = format!("`{}` takes {}, not `{text}`", key.name, key.takes);
        CliError::new(message, "run `skein config list` to see the current value")
    })?;
    let env = &context.workspace.env;
    let top = context.workspace.git.as_ref().and_then(|git| git.top.as_ref()).unwrap_or(&env.dir);
    let path = match in_repository {
        true => settings::set_in_repository(env, top, key, &value),
        false => settings::set(env, key, &value),
    };
    context.output.note(&format!("Wrote {}", path.map_err(set_error)?.display()))
}

/// The only setting that is read from the default branch.
const RESOLVING: &str = "review.agents_may_resolve";

fn confirm(context: &mut CliContext<'_>, key: &SettingKey) -> CliResult {
    if key.trust != Trust::DefaultBranch {
        let message = format!("`{}` needs no confirmation", key.name);
        return Err(CliError::new(message, format!("only `{RESOLVING}` does")));
    }
    let root = trust::roots(&context.workspace).into_iter().next();
    let root = root.expect("a workspace has a root for its code");
    trust::confirm_resolving(&context.workspace.env, &root)?;
    let root = root.display();
    context.output.note(&format!(
        "Agents may resolve threads in {root} while `.skein.toml` on its default branch says so"
    ))
}

fn set_error(error: settings::SetError) -> CliError {
    CliError::from(error).context("the setting could not be written")
}

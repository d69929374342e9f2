//! Tests every setting against both servers.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use skein_mattermost::{self as mattermost, MattermostClient};
use skein_model::bridge::{BridgeCheck, BridgeCheckStep, CheckState};
use skein_opencode::{self as opencode, ChildServer, OpencodeClient, ServerCommand, StartError};
use skein_store::is_executable;
use skein_workspace::Env;

use crate::config::{Config, ConfigError, config_path, is_cleartext};
use crate::runner::AgentSource;
use crate::setup::{BridgeError, SERVER_ADDRESS, agent_source, find_users, resolve};
use crate::state_dir::is_running;

const NOT_CHECKED: &str = "not checked";

const CREATE_TOKEN: &str = "create a bot account in Mattermost (Integrations, Bot Accounts), write its token to a file \
    that only you can read, and set `mattermost.token_file`";
const USER_NAMES: &str = "write each user as `@` and the name that Mattermost shows in the profile";
const AGENT_ADDRESS: &str = "set `opencode.address` to what `opencode serve` prints, such as `http://127.0.0.1:4096`, \
    or remove it: then the bridge starts a server itself. Only OpenCode 1 is supported";
const INSTALL_VERSION_1: &str = "install OpenCode 1, for example with `npm install -g opencode-ai@1`, and set \
    `opencode.program` to its path if there are several";
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks the settings, both servers, and what the bot may do.
pub fn check(env: &Env, environment: Vec<(OsString, OsString)>) -> BridgeCheck {
    let mut report = Report::default();
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(run(env, environment, &mut report)),
        Err(error) => report.failed("system", &error.to_string(), "try again later"),
    }
    let ok = report.steps.iter().all(|step| step.state != CheckState::Failed);
    BridgeCheck { ok, steps: report.steps }
}

#[derive(Default)]
struct Report {
    steps: Vec<BridgeCheckStep>,
}

impl Report {
    fn add(&mut self, name: &'static str, state: CheckState, detail: &str, hint: Option<&str>) {
        let (detail, hint) = (detail.to_owned(), hint.map(str::to_owned));
        self.steps.push(BridgeCheckStep { name, state, detail, hint });
    }

    fn passed(&mut self, name: &'static str, detail: &str) {
        self.add(name, CheckState::Ok, detail, None);
    }

    fn warned(&mut self, name: &'static str, detail: &str, hint: &str) {
        self.add(name, CheckState::Warning, detail, Some(hint));
    }

    fn failed(&mut self, name: &'static str, detail: &str, hint: &str) {
        self.add(name, CheckState::Failed, detail, Some(hint));
    }

    fn skipped(&mut self, names: &[&'static str]) {
        for name in names {
            self.add(name, CheckState::Skipped, NOT_CHECKED, None);
        }
    }
}

async fn run(env: &Env, environment: Vec<(OsString, OsString)>, report: &mut Report) {
    let config = match Config::load(env) {
        Ok(config) => config,
        Err(error) => {
            report.failed("settings", &explain(&error), &error.hint());
            let others = ["directories", "mattermost", "token", "users", "channel", "opencode"];
            return report.skipped(&others);
        }
    };
    let path = config_path(env).map(|path| path.display().to_string()).unwrap_or_default();
    report.passed("settings", &path);
    let directory = check_directories(&config, env, report);
    check_chat(&config, env, report).await;
    match directory {
        Some(directory) => check_agent(&config, env, environment, &directory, report).await,
        None => report.skipped(&["opencode"]),
    }
}

/// Returns the first allowed directory that exists.
fn check_directories(config: &Config, env: &Env, report: &mut Report) -> Option<String> {
    let (found, missing) = config.existing_directories(env);
    for path in &missing {
        let what = if path.exists() { "not a directory" } else { "does not exist" };
        let detail = format!("{what}: {}", path.display());
        let hint = "create the directory, or correct `directories`";
        match found.is_empty() {
            true => report.failed("directories", &detail, hint),
            false => report.warned("directories", &detail, hint),
        }
    }
    let wide = config.wide_directories(env);
    for path in &found {
        let shown = path.display().to_string();
        if wide.contains(path) {
            let detail = format!("{shown} has your whole home directory in it");
            report.warned("directories", &detail, "name the directories of projects instead");
        } else {
            report.passed("directories", &shown);
        }
    }
    found.first().and_then(|path| path.to_str()).map(str::to_owned)
}

async fn check_chat(config: &Config, env: &Env, report: &mut Report) {
    let address = &config.mattermost.address;
    let token = match config.token(env) {
        Ok(token) => token,
        Err(error) => {
            let hint = match &error {
                ConfigError::NoSecret { .. } => CREATE_TOKEN.to_owned(),
                error => error.hint(),
            };
            report.skipped(&["mattermost"]);
            report.failed("token", &explain(&error), &hint);
            return report.skipped(&["users", "channel"]);
        }
    };
    let connected = async {
        let client = MattermostClient::new(address, &token)?;
        let bot = client.me().await?;
        Ok((client, bot))
    };
    let (client, bot) = match connected.await {
        Ok(connected) => connected,
        Err(error) => {
            report_chat_error(address, &error, report);
            return report.skipped(&["users", "channel"]);
        }
    };
    report_server(address, report);
    match bot.is_bot {
        true => report.passed("token", &format!("of the bot @{}", bot.username)),
        false => {
            let detail = format!("of @{}, who is not a bot", bot.username);
            let hint = "use the token of a bot account: otherwise the bridge posts as this user";
            report.warned("token", &detail, hint);
        }
    }
    if is_running(env, &bot.id) {
        let detail = format!("a bridge is running with @{} on this machine", bot.username);
        let hint = "nothing has to be started; to start another one, stop this one first";
        report.failed("bridge", &detail, hint);
    }
    check_names(config, &client, bot, report).await;
}

fn report_server(address: &str, report: &mut Report) {
    if is_cleartext(address) {
        let hint = "use `https://`, if the server has it: others in the network can read the token";
        report.warned("mattermost", &format!("{address} is not encrypted"), hint);
    } else {
        report.passed("mattermost", address);
    }
}

/// Reports why the first request to the chat failed: because of the token, or because of the address.
fn report_chat_error(address: &str, error: &mattermost::MattermostError, report: &mut Report) {
    match error {
        mattermost::MattermostError::Unauthorized => {
            report_server(address, report);
            let hint = "copy the token again; Mattermost shows it only when it is created";
            report.failed("token", "the server does not accept it", hint);
        }
        mattermost::MattermostError::Token => {
            report.skipped(&["mattermost"]);
            let hint = "the file must contain only the token, on one line";
            report.failed("token", &explain(error), hint);
        }
        mattermost::MattermostError::Unreachable(_)
        | mattermost::MattermostError::RateLimited { .. } => {
            let detail = format!("{address}: {}", explain(error));
            let hint = "check `mattermost.address`, and whether the server runs and can be reached from this machine";
            report.failed("mattermost", &detail, hint);
            report.skipped(&["token"]);
        }
        error => {
            let detail = format!("no Mattermost server answers at {address}: {}", explain(error));
            report.failed("mattermost", &detail, SERVER_ADDRESS);
            report.skipped(&["token"]);
        }
    }
}

async fn check_names(
    config: &Config,
    client: &MattermostClient,
    bot: mattermost::User,
    report: &mut Report,
) {
    let name = bot.username.clone();
    let join = format!("add the bot to the team, then write `/invite @{name}` in the channel");
    let found = match find_users(config, client).await {
        Ok(found) => found,
        Err(error) => {
            report.failed("users", &explain(&error), USER_NAMES);
            report.skipped(&["channel"]);
            return;
        }
    };
    let owners = count(found.owners.len(), "owner");
    let users = count(found.users.len(), "other user");
    report.passed("users", &format!("{owners}, {users}"));
    for name in &found.missing {
        let detail = format!("no such active user: {name}");
        report.warned("users", &detail, USER_NAMES);
    }
    let home = match resolve(config, client, bot, found).await {
        Ok(names) if !names.is_member => {
            let channel = config.channel.as_deref().unwrap_or_default();
            let detail = format!("@{name} is not a member of {channel}, and hears nothing there");
            return report.failed("channel", &detail, &join);
        }
        Ok(names) => client.channel(names.home.as_str()).await.map_err(BridgeError::from),
        Err(error) => Err(error),
    };
    match home {
        Ok(channel) => report.passed("channel", &describe(&channel)),
        Err(error) => report.failed("channel", &explain(&error), &join),
    }
}

fn describe(channel: &mattermost::Channel) -> String {
    match channel.kind {
        mattermost::ChannelKind::Direct => "direct messages with the first owner".to_owned(),
        _ => format!("~{}", channel.name),
    }
}

async fn check_agent(
    config: &Config,
    env: &Env,
    environment: Vec<(OsString, OsString)>,
    directory: &str,
    report: &mut Report,
) {
    let source = agent_source(config, env, environment, Some(&directory.to_owned()));
    match source {
        Ok(AgentSource::Running(client)) => {
            let address = config.opencode.address.as_deref().unwrap_or_default();
            let has_password = matches!(config.password(env), Ok(Some(_)));
            if is_cleartext(address) {
                let hint = "use `https://`, or a server on this machine: others in the network can read the prompts, and the \
                    password";
                report.warned("opencode", &format!("{address} is not encrypted"), hint);
            }
            match client.models(directory).await {
                Ok(models) => report_agent(&client, address, models.models.len(), report).await,
                Err(error) => report_agent_error(address, &error, has_password, report),
            }
        }
        Ok(AgentSource::Child(command)) => check_child(&command, directory, report).await,
        Err(BridgeError::Config(error)) => {
            report.failed("opencode", &explain(&error), &error.hint());
        }
        Err(error) => report.failed("opencode", &explain(&error), AGENT_ADDRESS),
    }
}

fn report_agent_error(
    address: &str,
    error: &opencode::OpencodeError,
    has_password: bool,
    report: &mut Report,
) {
    match error {
        opencode::OpencodeError::Unauthorized => {
            let detail = match has_password {
                true => "the server does not accept the password",
                false => "the server requires a password",
            };
            let hint =
                "write the password of the server to a file, and set `opencode.password_file`";
            report.failed("opencode", detail, hint);
        }
        opencode::OpencodeError::Unreachable(_) => {
            let hint = "start it with `opencode serve`, or remove `opencode.address`: then the bridge starts it";
            report.failed("opencode", &format!("{address}: {}", explain(error)), hint);
        }
        error => {
            let detail = format!("no OpenCode server answers at {address}: {}", explain(error));
            report.failed("opencode", &detail, AGENT_ADDRESS);
        }
    }
}

/// Starts a server as the bridge does.
async fn check_child(command: &ServerCommand, directory: &str, report: &mut Report) {
    let program = command.program.display().to_string();
    let hint = "install OpenCode, or set `opencode.program` to its path";
    if !has_program(command) {
        return report.failed("opencode", &format!("there is no program {program}"), hint);
    }
    match ChildServer::start(command).await {
        Ok(child) => {
            match child.client().models(directory).await {
                Ok(models) => {
                    report_agent(child.client(), &program, models.models.len(), report).await;
                }
                Err(error) => {
                    let hint = format!("see whether `opencode` works in {directory}");
                    report.failed("opencode", &explain(&error), &hint);
                }
            }
            // The check is over; whether the server ends now or a little later does not matter.
            drop(child.stop().await);
        }
        Err(StartError::Client(
            error
            @ (opencode::OpencodeError::Version { .. } | opencode::OpencodeError::OtherServer),
        )) => report.failed("opencode", &explain(&error), INSTALL_VERSION_1),
        Err(error) => {
            let hint = "see whether `opencode serve` works in a terminal";
            report.failed("opencode", &explain(&error), hint);
        }
    }
}

/// Returns whether the program exists, at its path or on the search path.
fn has_program(command: &ServerCommand) -> bool {
    let is_program =
        |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && is_executable(&file));
    if command.program.components().count() > 1 {
        return is_program(&command.directory.join(&command.program));
    }
    let search_path = command.environment.iter().find(|(name, _)| name == "PATH");
    search_path.is_some_and(|(_, dirs)| {
        std::env::split_paths(dirs).any(|dir| is_program(&dir.join(&command.program)))
    })
}

/// Reports a server that answers: its version, if it says it, and its models.
async fn report_agent(client: &OpencodeClient, server: &str, models: usize, report: &mut Report) {
    match client.supported_version(VERSION_TIMEOUT).await {
        Err(error @ opencode::OpencodeError::Version { .. }) => {
            report.failed("opencode", &explain(&error), INSTALL_VERSION_1);
        }
        Ok(version) => report_models(&format!("{server} {version}"), models, report),
        Err(_) => report_models(server, models, report),
    }
}

fn report_models(server: &str, models: usize, report: &mut Report) {
    match models {
        0 => {
            let hint = "`opencode auth login` connects a provider of models";
            report.warned("opencode", &format!("{server} has no models"), hint);
        }
        _ => report.passed("opencode", &format!("{server}, {}", count(models, "model"))),
    }
}

fn count(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// Returns the message of an error with that of its first cause; those in between are for developers.
fn explain(error: &dyn std::error::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    match cause {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests;

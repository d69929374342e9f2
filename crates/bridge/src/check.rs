//! Tests every setting against both servers.

use std::ffi::OsString;

use skein_mattermost::{self as mattermost, Client};
use skein_model::bridge::{BridgeCheck, BridgeCheckStep, CheckState};
use skein_opencode::{self as opencode, ChildServer};
use skein_workspace::Env;

use crate::config::{Config, config_path};
use crate::runner::AgentSource;
use crate::setup::{agent_source, resolve};

const NOT_CHECKED: &str = "not checked";

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
            report.failed("settings", &chain(&error), "see `docs/bridge.md` for an example");
            return report.skipped(&["directories", "mattermost", "token", "users", "opencode"]);
        }
    };
    let path = config_path(env).map(|path| path.display().to_string()).unwrap_or_default();
    report.passed("settings", &path);
    let (found, missing) = config.existing_directories(env);
    for path in &missing {
        let hint = "create it, or remove it from `directories`";
        let state = if found.is_empty() { CheckState::Failed } else { CheckState::Warning };
        report.add(
            "directories",
            state,
            &format!("does not exist: {}", path.display()),
            Some(hint),
        );
    }
    for path in &found {
        report.passed("directories", &path.display().to_string());
    }
    check_chat(&config, env, report).await;
    let directory = found.first().and_then(|path| path.to_str()).map(str::to_owned);
    check_agent(&config, env, environment, directory, report).await;
}

async fn check_chat(config: &Config, env: &Env, report: &mut Report) {
    const CREATE_TOKEN: &str =
        "create a bot account in Mattermost (Integrations, Bot Accounts) and copy its token";
    let token = match config.token(env) {
        Ok(token) => token,
        Err(error) => {
            report.failed("token", &chain(&error), CREATE_TOKEN);
            return report.skipped(&["mattermost", "users"]);
        }
    };
    let client = match Client::new(&config.mattermost.address, &token) {
        Ok(client) => client,
        Err(error) => {
            report.failed("mattermost", &error.chain(), "correct `mattermost.address`");
            return report.skipped(&["token", "users"]);
        }
    };
    match client.me().await {
        Ok(bot) if bot.is_bot => {
            report.passed("mattermost", &config.mattermost.address);
            report.passed("token", &format!("of the bot @{}", bot.username));
        }
        Ok(user) => {
            report.passed("mattermost", &config.mattermost.address);
            let detail = format!("of @{}, who is not a bot", user.username);
            let hint =
                "use the token of a bot account: a user's posts look as if that user wrote them";
            report.add("token", CheckState::Warning, &detail, Some(hint));
        }
        Err(mattermost::Error::Unauthorized) => {
            report.passed("mattermost", &config.mattermost.address);
            report.failed("token", "the server does not accept it", CREATE_TOKEN);
            return report.skipped(&["users"]);
        }
        Err(error) => {
            let hint = "check `mattermost.address`, and whether the server runs";
            report.failed("mattermost", &error.chain(), hint);
            return report.skipped(&["token", "users"]);
        }
    }
    match resolve(config, &client).await {
        Ok(names) => {
            let (owners, users) = (names.owners.len(), names.users.len());
            report.passed("users", &format!("{owners} owners, {users} other users"));
            match client.channel(names.home.as_str()).await {
                Ok(channel) => report.passed("channel", &describe(&channel)),
                Err(error) => {
                    report.failed("channel", &error.chain(), "add the bot to the channel");
                }
            }
        }
        Err(error) => {
            let hint = "write users as `@name`, and a channel as `team/channel` that the bot is in";
            report.failed("users", &chain(&error), hint);
        }
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
    directory: Option<String>,
    report: &mut Report,
) {
    let source = match agent_source(config, env, environment, directory.as_ref()) {
        Ok(source) => source,
        Err(error) => return report.failed("opencode", &chain(&error), "correct `[opencode]`"),
    };
    match source {
        AgentSource::Running(client) => match check_models(&client, directory.as_deref()).await {
            Ok(detail) => report.passed("opencode", &detail),
            Err(opencode::Error::Unauthorized) => {
                let hint = "set `opencode.password_file` to a file with the server's password";
                report.failed("opencode", "the server requires a password", hint);
            }
            Err(error) => {
                let hint = "start it with `opencode serve`, or remove `opencode.address`";
                report.failed("opencode", &chain(&error), hint);
            }
        },
        AgentSource::Child(command) => match ChildServer::start(&command).await {
            Ok(child) => {
                match check_models(child.client(), directory.as_deref()).await {
                    Ok(detail) => report.passed("opencode", &detail),
                    Err(error) => {
                        report.failed(
                            "opencode",
                            &chain(&error),
                            "run `opencode` in the directory once",
                        );
                    }
                }
                // The check is over; whether the server ends now or a little later does not matter.
                drop(child.stop().await);
            }
            Err(error) => {
                let hint = "install OpenCode, or set `opencode.program` to its path";
                report.failed("opencode", &chain(&error), hint);
            }
        },
    }
}

/// Returns how many models the server can use.
async fn check_models(
    client: &opencode::Client,
    directory: Option<&str>,
) -> Result<String, opencode::Error> {
    let models = client.models(directory.unwrap_or_default()).await?.models.len();
    Ok(format!("{models} models"))
}

/// Returns the message of an error with those of its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

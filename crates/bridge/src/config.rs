//! The settings file of the bridge, and the secrets that it names.
//!
//! It is the user's own file; a repository cannot set anything in it.

use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skein_store::ReadError;
use skein_workspace::Env;

use skein_mattermost::Secret;
use skein_opencode::Password;

/// The variable that has the token of the bot.
pub const TOKEN_VARIABLE: &str = "SKEIN_BRIDGE_TOKEN";
/// The variable that has the password of the OpenCode server.
pub const PASSWORD_VARIABLE: &str = "SKEIN_BRIDGE_OPENCODE_PASSWORD";

/// The settings of the bridge as they are written; names are not resolved yet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Who may do everything: names with `@`, or ids.
    pub owners: Vec<String>,
    /// Who may also start and prompt sessions.
    #[serde(default)]
    pub users: Vec<String>,
    /// The directories that sessions may use, with all below them. The first is the default.
    pub directories: Vec<String>,
    /// The channel for new threads, as `team/channel`; without it, the direct channel of the first owner.
    pub channel: Option<String>,
    #[serde(default)]
    pub approvals: ApprovalSetting,
    /// Whether a post in a channel starts a session.
    #[serde(default = "yes")]
    pub start_from_chat: bool,
    /// What commands start with.
    #[serde(default = "default_prefix")]
    pub prefix: String,
    /// Whether the reasoning of the model is shown.
    #[serde(default)]
    pub reasoning: bool,
    /// The largest file that is taken or sent, in megabytes.
    #[serde(default = "default_file_size")]
    pub max_file_mb: u64,
    /// The prompts that are taken from a user, and in a thread, in a minute.
    #[serde(default = "default_prompts_per_minute")]
    pub max_prompts_per_minute: usize,
    pub mattermost: MattermostConfig,
    #[serde(default)]
    pub opencode: OpenCodeConfig,
}

/// Who may answer permissions and questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalSetting {
    #[default]
    Owners,
    /// All who may prompt the session.
    All,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MattermostConfig {
    pub address: String,
    /// A file with the token of the bot, which only the user can read.
    pub token_file: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCodeConfig {
    /// A server that is already running; without it, the bridge starts its own.
    pub address: Option<String>,
    pub password_file: Option<String>,
    /// The program that is started, by its path or its name.
    pub program: Option<String>,
}

/// Why the settings of the bridge cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("there is no home directory to keep settings in")]
    NoHome,
    #[error("there is no settings file: {}", path.display())]
    Missing { path: PathBuf },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: ReadError },
    #[error("{}:{line}: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, message: String },
    #[error("not UTF-8: {}", path.display())]
    Encoding { path: PathBuf },
    #[error("{}: `{key}` {rule}", path.display())]
    Value { path: PathBuf, key: &'static str, rule: String },
    #[error("{what} is not set")]
    NoSecret { what: &'static str, key: &'static str, variable: &'static str },
    #[error("the file that `{key}` names does not exist: {}", path.display())]
    NoSecretFile { path: PathBuf, key: &'static str },
    #[error("the file that `{key}` names is empty: {}", path.display())]
    EmptySecretFile { path: PathBuf, key: &'static str },
    #[error("other users can read {}", path.display())]
    Exposed { path: PathBuf },
    #[error("other users can change {}", path.display())]
    Writable { path: PathBuf },
}

impl ConfigError {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => "set the variable HOME".to_owned(),
            Self::Missing { .. } => {
                "write the settings first; `skein bridge --help` shows an example".to_owned()
            }
            Self::Exposed { path } => format!("`chmod 600 {}`", path.display()),
            Self::Writable { path } => format!(
                "`chmod go-w {}`: who can change it decides who may run programs as you",
                path.display()
            ),
            Self::NoSecret { key, variable, .. } => {
                format!("set `{key}` to the path of a file, or set the variable {variable}")
            }
            Self::NoSecretFile { .. } | Self::EmptySecretFile { .. } => {
                "write the secret alone into the file, so that only you can read it".to_owned()
            }
            Self::Read { .. } | Self::Encoding { .. } => {
                "check what the file is, and whether you may read it".to_owned()
            }
            Self::Syntax { .. } | Self::Value { .. } => {
                "correct the settings file; `skein bridge --help` shows an example".to_owned()
            }
        }
    }
}

/// Returns the path of the settings file.
pub fn config_path(env: &Env) -> Result<PathBuf, ConfigError> {
    let home = env.config_home.as_ref().ok_or(ConfigError::NoHome)?;
    Ok(home.join("skein").join("bridge.toml"))
}

impl Config {
    /// Reads the settings file.
    pub fn load(env: &Env) -> Result<Self, ConfigError> {
        let path = config_path(env)?;
        let text = read_text(&path)?.ok_or_else(|| ConfigError::Missing { path: path.clone() })?;
        let dir = path.parent().expect("the path has a directory");
        for one in [path.as_path(), dir] {
            if is_writable_by_others(one) {
                return Err(ConfigError::Writable { path: one.to_owned() });
            }
        }
        let parsed: Result<Self, _> = toml_edit::de::from_str(&text);
        let config = parsed.map_err(|error| {
            // The whole text of the error repeats the line, which can have a secret in it by mistake.
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            ConfigError::Syntax { path: path.clone(), line, message }
        })?;
        match config.find_wrong_value(env) {
            None => Ok(config),
            Some((key, rule)) => Err(ConfigError::Value { path, key, rule }),
        }
    }

    /// Returns the first setting that cannot be used, and the rule that it violates.
    fn find_wrong_value(&self, env: &Env) -> Option<(&'static str, String)> {
        let rules = [
            ("owners", self.owners.is_empty().then(|| "must name at least one user".to_owned())),
            ("owners", self.owners.iter().find_map(|user| user_rule(user))),
            ("users", self.users.iter().find_map(|user| user_rule(user))),
            (
                "directories",
                self.directories.is_empty().then(|| "must name at least one directory".to_owned()),
            ),
            ("directories", self.directories.iter().find_map(|one| directory_rule(env, one))),
            ("channel", self.channel.as_deref().and_then(channel_rule)),
            ("prefix", prefix_rule(&self.prefix)),
            (
                "max_prompts_per_minute",
                (self.max_prompts_per_minute == 0).then(|| "must be at least 1".to_owned()),
            ),
            ("mattermost.address", address_rule(&self.mattermost.address)),
            ("mattermost.token_file", file_rule(env, self.mattermost.token_file.as_deref())),
            ("opencode.address", self.opencode.address.as_deref().and_then(address_rule)),
            ("opencode.password_file", file_rule(env, self.opencode.password_file.as_deref())),
        ];
        rules.into_iter().find_map(|(key, rule)| Some((key, rule?)))
    }

    /// Returns the allowed directories without links; those that do not exist are left out.
    pub fn existing_directories(&self, env: &Env) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for directory in &self.directories {
            let path = expand(env, directory);
            match path.canonicalize() {
                Ok(real) if real.is_dir() => found.push(real),
                _ => missing.push(path),
            }
        }
        (found, missing)
    }

    /// Returns those of the allowed directories that have the whole home directory in them.
    pub(crate) fn wide_directories(&self, env: &Env) -> Vec<PathBuf> {
        let Some(home) = env.home.as_ref().and_then(|home| home.canonicalize().ok()) else {
            return Vec::new();
        };
        let (mut directories, _) = self.existing_directories(env);
        directories.retain(|directory| home.starts_with(directory));
        directories
    }

    /// Returns the token of the bot.
    pub fn token(&self, env: &Env) -> Result<Secret, ConfigError> {
        let key = "mattermost.token_file";
        let token = secret(env, TOKEN_VARIABLE, key, self.mattermost.token_file.as_deref())?;
        let (what, variable) = ("the token of the bot", TOKEN_VARIABLE);
        token.map(|token| Secret::new(&token)).ok_or(ConfigError::NoSecret { what, key, variable })
    }

    /// Returns the password of the OpenCode server, if there is one.
    pub fn password(&self, env: &Env) -> Result<Option<Password>, ConfigError> {
        let file = self.opencode.password_file.as_deref();
        let password = secret(env, PASSWORD_VARIABLE, "opencode.password_file", file)?;
        Ok(password.map(Password::new))
    }

    /// Returns the program of OpenCode, by its path or its name.
    pub(crate) fn program(&self, env: &Env) -> PathBuf {
        expand(env, self.opencode.program.as_deref().unwrap_or("opencode"))
    }
}

fn user_rule(user: &str) -> Option<String> {
    let is_id = user.len() == 26 && user.chars().all(|c| c.is_ascii_alphanumeric());
    let is_name = user.strip_prefix('@').is_some_and(|name| {
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '@')
    });
    let rule = "must be names with `@`, such as `@ada`, or ids";
    (!is_id && !is_name).then(|| format!("{rule}: {user}"))
}

fn directory_rule(env: &Env, directory: &str) -> Option<String> {
    let path = expand(env, directory);
    if !path.is_absolute() {
        return Some(format!("must be absolute, or start with `~/`: {directory}"));
    }
    let is_root = path.canonicalize().is_ok_and(|real| real.parent().is_none());
    is_root.then(|| {
        format!("must not be the whole file system; name the directories of projects: {directory}")
    })
}

fn channel_rule(channel: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains([':', '/', '~', '@', ' ']);
    let is_known =
        channel.split_once('/').is_some_and(|(team, name)| is_name(team) && is_name(name));
    let rule = "must be `team/channel`, with the names from the address of the channel";
    (!is_known).then(|| format!("{rule}: {channel}"))
}

fn prefix_rule(prefix: &str) -> Option<String> {
    let is_text = !prefix.is_empty() && !prefix.contains(char::is_whitespace);
    let is_taken = prefix.starts_with(['/', '@']);
    (!is_text || is_taken).then(|| {
        "must be text without spaces that does not start with `/` or `@`, which have a meaning in Mattermost"
            .to_owned()
    })
}

fn address_rule(address: &str) -> Option<String> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    match rest {
        // The value is not repeated: it has a password in it.
        Some(rest) if rest.contains('@') => {
            Some("must not have a user or a password in it".to_owned())
        }
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') => None,
        _ => Some(format!("must start with `https://` or `http://` and a name: {address}")),
    }
}

fn file_rule(env: &Env, file: Option<&str>) -> Option<String> {
    // The value is not repeated: it can be the secret itself by mistake.
    let is_path = file.is_none_or(|file| expand(env, file).is_absolute());
    (!is_path).then(|| {
        "must be the path of a file, absolute or starting with `~/`, not the secret itself"
            .to_owned()
    })
}

/// Returns a secret from the environment, or else from a file that only the user can read.
fn secret(
    env: &Env,
    variable: &str,
    key: &'static str,
    file: Option<&str>,
) -> Result<Option<String>, ConfigError> {
    if let Some(value) = env.variables.get(variable).filter(|value| !value.trim().is_empty()) {
        return Ok(Some(value.trim().to_owned()));
    }
    let Some(file) = file else { return Ok(None) };
    let path = expand(env, file);
    let Some(text) = read_text(&path)? else {
        return Err(ConfigError::NoSecretFile { path, key });
    };
    let mode = path.metadata().map_or(0, |meta| meta.mode());
    if mode & 0o077 != 0 {
        return Err(ConfigError::Exposed { path });
    }
    match text.trim() {
        "" => Err(ConfigError::EmptySecretFile { path, key }),
        text => Ok(Some(text.to_owned())),
    }
}

/// Returns whether other users can change a file, or the names in a directory. A group that has the number of the user is the
/// user's own, as many systems set it up.
fn is_writable_by_others(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| {
        let is_writable_by_group = meta.mode() & 0o020 != 0 && meta.gid() != meta.uid();
        meta.mode() & 0o002 != 0 || is_writable_by_group
    })
}

/// Returns whether what is sent to an address can be read by others in the network: without encryption, to another machine.
pub(crate) fn is_cleartext(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    };
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    !is_loopback && !host.eq_ignore_ascii_case("localhost")
}

/// Reads a file that may not exist.
fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    match skein_store::read(path) {
        Ok(snapshot) => match String::from_utf8(snapshot.bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(ConfigError::Encoding { path: path.to_owned() }),
        },
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}

fn expand(env: &Env, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), &env.home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(text),
    }
}

fn yes() -> bool {
    true
}

fn default_prefix() -> String {
    "!".to_owned()
}

/// More than a person types, and few enough to notice a program that posts in a loop.
fn default_prompts_per_minute() -> usize {
    20
}

fn default_file_size() -> u64 {
    20
}

#[cfg(test)]
mod tests;

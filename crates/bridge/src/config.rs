//! The settings file of the bridge, and the secrets that it names.
//!
//! It is the user's own file; a repository cannot set anything in it.

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
    #[error("cannot understand {}: {message}", path.display())]
    Syntax { path: PathBuf, message: String },
    #[error("`{key}` {rule} in {}", path.display())]
    Value { path: PathBuf, key: &'static str, rule: String },
    #[error("{what} is not set")]
    NoSecret { what: &'static str, key: &'static str, variable: &'static str },
    #[error("other users can read {}", path.display())]
    Exposed { path: PathBuf },
}

impl ConfigError {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { .. } => {
                "write the settings first; `docs/bridge.md` has an example".to_owned()
            }
            Self::Exposed { path } => format!("`chmod 600 {}`", path.display()),
            Self::NoSecret { key, variable, .. } => {
                format!("set `{key}` in the settings file, or the variable {variable}")
            }
            _ => "`skein bridge check` tests every setting".to_owned(),
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
        let text = read_text(&path)?;
        let parsed: Result<Self, _> = toml_edit::de::from_str(&text);
        let config = parsed.map_err(|error| {
            let message = error.to_string().trim().to_owned();
            ConfigError::Syntax { path: path.clone(), message }
        })?;
        config.check(env, &path)?;
        Ok(config)
    }

    fn check(&self, env: &Env, path: &Path) -> Result<(), ConfigError> {
        let wrong = |key, rule: &str| {
            let (path, rule) = (path.to_owned(), rule.to_owned());
            Err(ConfigError::Value { path, key, rule })
        };
        let address = &self.mattermost.address;
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return wrong("mattermost.address", "must start with `https://` or `http://`");
        }
        if self.owners.is_empty() {
            return wrong("owners", "must name at least one user");
        }
        if self.directories.is_empty() {
            return wrong("directories", "must name at least one directory");
        }
        if self.prefix.is_empty() || self.prefix.contains(char::is_whitespace) {
            return wrong("prefix", "must be text without spaces");
        }
        for directory in &self.directories {
            let expanded = expand(env, directory);
            if !expanded.is_absolute() {
                let rule = format!("must be absolute, or start with `~/`: {directory}");
                return wrong("directories", &rule);
            }
        }
        Ok(())
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

    /// Returns the token of the bot.
    pub fn token(&self, env: &Env) -> Result<Secret, ConfigError> {
        let missing = ConfigError::NoSecret {
            what: "the token of the bot",
            key: "mattermost.token_file",
            variable: TOKEN_VARIABLE,
        };
        let token = secret(env, TOKEN_VARIABLE, self.mattermost.token_file.as_deref())?;
        token.map(|token| Secret::new(&token)).ok_or(missing)
    }

    /// Returns the password of the OpenCode server, if there is one.
    pub fn password(&self, env: &Env) -> Result<Option<Password>, ConfigError> {
        let password = secret(env, PASSWORD_VARIABLE, self.opencode.password_file.as_deref())?;
        Ok(password.map(Password::new))
    }
}

/// Returns a secret from the environment, or else from a file that only the user can read.
fn secret(env: &Env, variable: &str, file: Option<&str>) -> Result<Option<String>, ConfigError> {
    if let Some(value) = env.variables.get(variable).filter(|value| !value.is_empty()) {
        return Ok(Some(value.trim().to_owned()));
    }
    let Some(file) = file else { return Ok(None) };
    let path = expand(env, file);
    let text = read_text(&path)?;
    let mode = path.metadata().map_or(0, |meta| meta.mode());
    if mode & 0o077 != 0 {
        return Err(ConfigError::Exposed { path });
    }
    Ok(Some(text.trim().to_owned()))
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    match skein_store::read(path) {
        Ok(snapshot) => String::from_utf8(snapshot.bytes).map_err(|_| ConfigError::Syntax {
            path: path.to_owned(),
            message: "the file is not UTF-8".to_owned(),
        }),
        Err(ReadError::NotFound { .. }) => Err(ConfigError::Missing { path: path.to_owned() }),
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

fn default_file_size() -> u64 {
    20
}

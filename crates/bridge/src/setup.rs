//! Prepares a bridge: reads the settings, resolves names, and starts the runner.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use skein_mattermost::{self as mattermost, MattermostClient, User};
use skein_model::sanitize::escape_control;
use skein_opencode::{self as opencode, Password, ServerCommand};
use skein_sessions::{MapPath, SessionError, map_path};
use skein_workspace::Env;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{
    ApprovalSetting, Config, ConfigError, PASSWORD_VARIABLE, TOKEN_VARIABLE, is_cleartext,
};
use crate::core::ids::{ChannelId, UserId};
use crate::core::settings::Approvals;
use crate::core::{BridgeSettings, Core};
use crate::map::{BridgeMap, MapWriter};
use crate::runner::{self, AgentSource, BridgeRunError, Parts, Presence};
use crate::state_dir::{StateDir, StateError};

pub(crate) const SERVER_ADDRESS: &str = "set `mattermost.address` to what the browser shows before the name of the team, \
    such as `https://chat.example.org`";
/// Room that is left in a post for lines that grow.
const POST_RESERVE: usize = 4_000;
const MEGABYTE: u64 = 1024 * 1024;

/// What the binary passes to a bridge.
pub struct BridgeOptions {
    pub env: Env,
    /// The whole environment of the process, for OpenCode.
    pub environment: Vec<(OsString, OsString)>,
    /// Prints a line for the user of the terminal.
    pub note: Box<dyn Fn(&str) + Send>,
}

/// Why a bridge cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("none of the directories in `directories` exists")]
    NoDirectory,
    #[error("the server has no such active user: {name}")]
    NoUser { name: String },
    #[error("the bot cannot see the channel {name}")]
    NoChannel { name: String },
    #[error("no Mattermost server answers at {address}")]
    NoServer { address: String, source: mattermost::MattermostError },
    #[error(transparent)]
    Chat(#[from] mattermost::MattermostError),
    #[error(transparent)]
    Agent(#[from] opencode::OpencodeError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Map(#[from] SessionError),
    #[error(transparent)]
    Run(#[from] BridgeRunError),
    #[error("the system refused what a server needs")]
    System(#[source] std::io::Error),
}

impl BridgeError {
    /// Returns whether a bridge that is started again would fail in the same way until the user corrects something.
    pub fn is_final(&self) -> bool {
        use mattermost::MattermostError;
        match self {
            Self::Config(_)
            | Self::NoDirectory
            | Self::Run(BridgeRunError::TokenRevoked)
            | Self::State(StateError::Record { .. })
            | Self::Chat(
                MattermostError::Unauthorized
                | MattermostError::Token
                | MattermostError::Address { .. },
            )
            | Self::Agent(opencode::OpencodeError::Address(_)) => true,
            // The server may be in trouble, or another bridge may end.
            Self::NoUser { .. }
            | Self::NoChannel { .. }
            | Self::NoServer { .. }
            | Self::Chat(_)
            | Self::Agent(_)
            | Self::State(_)
            | Self::Map(_)
            | Self::Run(_)
            | Self::System(_) => false,
        }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::State(StateError::Running) | Self::Run(BridgeRunError::OtherBridge { .. }) => {
                "stop the other one first, or use another bot account".to_owned()
            }
            Self::State(StateError::Record { .. }) => {
                "a newer version of Skein may have written it; use that one".to_owned()
            }
            Self::Config(error) => return Some(error.hint()),
            Self::NoServer { .. } => SERVER_ADDRESS.to_owned(),
            Self::Run(BridgeRunError::State(_)) | Self::System(_) => return None,
            _ => "`skein bridge check` tests every setting".to_owned(),
        })
    }
}

/// Runs a bridge until the process is stopped.
pub fn run(options: BridgeOptions) -> Result<(), BridgeError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(BridgeError::System)?.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt()).map_err(BridgeError::System)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(BridgeError::System)?;
        let stop = async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        let parts = prepare(options).await?;
        Ok(runner::run(parts, stop).await?)
    })
}

/// Reads the settings and prepares all that a bridge needs.
pub(crate) async fn prepare(options: BridgeOptions) -> Result<Parts, BridgeError> {
    let BridgeOptions { env, environment, note } = options;
    let note: Box<dyn Fn(&str) + Send> = Box::new(move |text| note(&escape_control(text)));
    let config = Config::load(&env)?;
    warn_of_exposure(&config, &env, &*note);
    let chat = MattermostClient::new(&config.mattermost.address, &config.token(&env)?)?;
    let bot = find_bot(&config, &chat).await?;
    let found = find_users(&config, &chat).await?;
    let names = resolve(&config, &chat, bot, found).await?;
    warn_of_names(&config, &names, &*note);
    let directories = directories(&config, &env, &*note)?;
    let (state_dir, state) = StateDir::open(&env, names.bot.as_str())?;
    let agent = agent_source(&config, &env, environment, directories.first())?;
    let limits = chat.client_config().await?;
    let settings = BridgeSettings {
        bot: names.bot.clone(),
        bot_name: names.bot_name.clone(),
        home: names.home,
        home_owner: names.home_owner,
        owners: names.owners,
        users: names.users,
        names: names.display,
        channel: names.channel,
        approvals: match config.approvals {
            ApprovalSetting::Owners => Approvals::Owners,
            ApprovalSetting::All => Approvals::All,
        },
        start_from_chat: config.start_from_chat,
        directories: directories.clone(),
        prefix: config.prefix.clone(),
        reasoning: config.reasoning,
        max_post_chars: limits.max_post_size.saturating_sub(POST_RESERVE).max(1_000),
        max_post_size: limits.max_post_size,
        max_file_bytes: config.max_file_mb.saturating_mul(MEGABYTE).min(limits.max_file_size),
        max_prompts_per_minute: config.max_prompts_per_minute,
        message_id: |now, last, seed| {
            let last = last.map(opencode::MessageId::new);
            opencode::message_id(now, last.as_ref(), seed).as_str().to_owned()
        },
    };
    let allowed = directories.iter().map(PathBuf::from).collect();
    let mut followed = directories;
    followed.extend(state.threads.values().map(|thread| thread.directory.clone()));
    let core = Core::new(settings, state);
    let home = env.home.as_deref().ok_or(SessionError::NoHome)?;
    let map = BridgeMap::open(&env, MapPath::named(map_path(home)), &core.mappings())?;
    let (map, ended_sessions) = MapWriter::start(map).map_err(BridgeError::System)?;
    let welcome = format!("Connected to {} as @{}.", config.mattermost.address, names.bot_name);
    let presence = Presence::new(
        chat.clone(),
        names.bot.as_str(),
        env.ids.next(),
        rustix::system::uname().nodename().to_string_lossy().into_owned(),
        env.clock.now().as_millis(),
    );
    Ok(Parts {
        env,
        chat,
        agent,
        core,
        bot: names.bot,
        state: state_dir,
        map,
        ended_sessions,
        allowed,
        directories: followed,
        presence,
        welcome,
        note,
    })
}

/// Warns of what the settings let others read or do.
fn warn_of_exposure(config: &Config, env: &Env, note: &dyn Fn(&str)) {
    let address = &config.mattermost.address;
    if is_cleartext(address) {
        note(&format!(
            "Warning: {address} is not encrypted: others in the network can read the token of the bot. Use `https://`."
        ));
    }
    if let Some(address) = config.opencode.address.as_ref().filter(|one| is_cleartext(one)) {
        note(&format!(
            "Warning: {address} is not encrypted: others in the network can read the prompts, and the password of OpenCode."
        ));
    }
    for directory in config.wide_directories(env) {
        note(&format!(
            "Warning: sessions may use your whole home directory: {}",
            directory.display()
        ));
    }
}

/// Warns of users who do not exist, and of a channel in which the bot hears nothing.
fn warn_of_names(config: &Config, names: &Names, note: &dyn Fn(&str)) {
    if let Some(channel) = &config.channel
        && !names.is_member
    {
        note(&format!(
            "Warning: @{} is not a member of the channel {channel}, and hears nothing there. Write `/invite @{}` in it.",
            names.bot_name, names.bot_name
        ));
    }
    for name in &names.missing {
        note(&format!("Warning: no such active user: {name}"));
    }
}

/// The names of the settings as ids.
pub(crate) struct Names {
    pub(crate) bot: UserId,
    pub(crate) bot_name: String,
    pub(crate) owners: BTreeSet<UserId>,
    pub(crate) users: BTreeSet<UserId>,
    /// The names of the owners and users.
    pub(crate) display: BTreeMap<UserId, String>,
    pub(crate) channel: Option<ChannelId>,
    /// Whether the bot is a member of the channel, if there is one.
    pub(crate) is_member: bool,
    pub(crate) home: ChannelId,
    pub(crate) home_owner: UserId,
    /// Users of the settings who do not exist or are deactivated.
    pub(crate) missing: Vec<String>,
}

/// The users of the settings.
pub(crate) struct Users {
    pub(crate) owners: Vec<UserId>,
    pub(crate) users: Vec<UserId>,
    display: BTreeMap<UserId, String>,
    /// The names of users that do not exist or are deactivated.
    pub(crate) missing: Vec<String>,
    first_owner: UserId,
}

/// Returns the user of the token. This is the first request: what answers it otherwise is no Mattermost server.
async fn find_bot(config: &Config, chat: &MattermostClient) -> Result<User, BridgeError> {
    use mattermost::MattermostError;
    chat.me().await.map_err(|error| match error {
        source @ (MattermostError::NotFound { .. }
        | MattermostError::Protocol(_)
        | MattermostError::Rejected { status: ..500, .. }) => {
            BridgeError::NoServer { address: config.mattermost.address.clone(), source }
        }
        error => error.into(),
    })
}

/// Finds the users of the settings.
pub(crate) async fn find_users(
    config: &Config,
    chat: &MattermostClient,
) -> Result<Users, BridgeError> {
    let (mut owners, mut users) = (Vec::new(), Vec::new());
    let (mut display, mut missing) = (BTreeMap::new(), Vec::new());
    let names = config.owners.iter().map(|name| (name, true));
    for (name, is_owner) in names.chain(config.users.iter().map(|name| (name, false))) {
        let Some(user) = find_user(chat, name).await? else {
            missing.push(name.clone());
            continue;
        };
        display.insert(user.id.clone().into(), user.username);
        if is_owner { &mut owners } else { &mut users }.push(UserId::from(user.id));
    }
    let no_owner = || BridgeError::NoUser { name: config.owners.join(", ") };
    let first_owner = owners.first().cloned().ok_or_else(no_owner)?;
    Ok(Users { owners, users, display, missing, first_owner })
}

/// Resolves the names of the settings by the server.
pub(crate) async fn resolve(
    config: &Config,
    chat: &MattermostClient,
    bot: User,
    found: Users,
) -> Result<Names, BridgeError> {
    let Users { owners, users, display, missing, first_owner: home_owner } = found;
    let channel = match &config.channel {
        Some(name) => Some(find_channel(chat, name).await?),
        None => None,
    };
    let is_member = match &channel {
        Some(channel) => chat.my_channels().await?.iter().any(|one| one.id == channel.as_str()),
        None => true,
    };
    let home = match &channel {
        Some(channel) => channel.clone(),
        None => chat.direct_channel(&bot.id, home_owner.as_str()).await?.id.into(),
    };
    Ok(Names {
        bot: bot.id.into(),
        bot_name: bot.username,
        owners: owners.into_iter().collect(),
        users: users.into_iter().collect(),
        display,
        channel,
        is_member,
        home,
        home_owner,
        missing,
    })
}

/// Finds an active user by a name with `@`, or by an id.
async fn find_user(chat: &MattermostClient, name: &str) -> Result<Option<User>, BridgeError> {
    let found = match name.strip_prefix('@') {
        Some(name) => chat.user_by_name(name).await,
        None => chat.user(name).await,
    };
    match found {
        Ok(user) => Ok(Some(user).filter(|user| user.delete_at == 0)),
        Err(
            mattermost::MattermostError::NotFound { .. }
            | mattermost::MattermostError::Rejected { status: 400, .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn find_channel(chat: &MattermostClient, name: &str) -> Result<ChannelId, BridgeError> {
    let (team, channel) =
        name.split_once('/').ok_or_else(|| BridgeError::NoChannel { name: name.to_owned() })?;
    match chat.channel_by_name(team, channel).await {
        Ok(channel) => Ok(channel.id.into()),
        Err(
            mattermost::MattermostError::NotFound { .. }
            | mattermost::MattermostError::Forbidden { .. },
        ) => Err(BridgeError::NoChannel { name: name.to_owned() }),
        Err(error) => Err(error.into()),
    }
}

/// Returns the allowed directories that exist.
fn directories(
    config: &Config,
    env: &Env,
    note: &dyn Fn(&str),
) -> Result<Vec<String>, BridgeError> {
    let (found, missing) = config.existing_directories(env);
    for path in missing {
        note(&format!("Warning: the directory does not exist: {}", path.display()));
    }
    // OpenCode names directories as text, so that others could not be compared.
    let found: Vec<_> = found.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect();
    if found.is_empty() { Err(BridgeError::NoDirectory) } else { Ok(found) }
}

/// Returns the OpenCode server of the settings, or the command that starts one.
pub(crate) fn agent_source(
    config: &Config,
    env: &Env,
    environment: Vec<(OsString, OsString)>,
    directory: Option<&String>,
) -> Result<AgentSource, BridgeError> {
    let password = config.password(env)?;
    if let Some(address) = &config.opencode.address {
        return Ok(AgentSource::Running(opencode::OpencodeClient::new(address, password)?));
    }
    let is_public = |name: &OsString| name != TOKEN_VARIABLE && name != PASSWORD_VARIABLE;
    Ok(AgentSource::Child(ServerCommand {
        program: config.program(env),
        directory: directory.map(PathBuf::from).unwrap_or_default(),
        environment: environment.into_iter().filter(|(name, _)| is_public(name)).collect(),
        password: password.unwrap_or_else(|| Password::new(env.ids.next())),
    }))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use skein_fixtures::Fixture;

    use super::{BridgeError, BridgeRunError, Config, StateError, mattermost, warn_of_exposure};

    #[test]
    fn only_what_the_user_has_to_correct_is_final() {
        let revoked = BridgeError::from(BridgeRunError::TokenRevoked);
        let refused = BridgeError::from(mattermost::MattermostError::Unauthorized);
        assert!(revoked.is_final() && refused.is_final() && BridgeError::NoDirectory.is_final());
        let message = "in trouble".to_owned();
        let trouble = mattermost::MattermostError::Forbidden { message };
        assert!(!BridgeError::from(trouble).is_final());
        assert!(!BridgeError::from(StateError::Running).is_final());
    }

    #[test]
    fn the_user_is_warned_of_what_others_can_read_and_of_wide_directories() {
        let fixture = Fixture::new();
        let settings = "owners = [\"@ada\"]\ndirectories = [\"~/\"]\n[mattermost]\n\
            address = \"http://chat.example.org\"\n[opencode]\naddress = \"http://10.0.0.1:80\"\n";
        fixture.file("home/.config/skein/bridge.toml", settings);
        let env = fixture.env("");
        let notes = RefCell::new(Vec::new());
        let note = |text: &str| notes.borrow_mut().push(fixture.shorten(text));
        warn_of_exposure(&Config::load(&env).unwrap(), &env, &note);
        let expected = [
            "Warning: http://chat.example.org is not encrypted: others in the network can read the token of the bot. \
            Use `https://`.",
            "Warning: http://10.0.0.1:80 is not encrypted: others in the network can read the prompts, and the \
            password of OpenCode.",
            "Warning: sessions may use your whole home directory: home",
        ];
        assert_eq!(notes.into_inner(), expected);
    }
}

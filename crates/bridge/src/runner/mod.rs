//! Connects the core with both servers and with the disk.

mod agent_effects;
mod agent_server;
mod chat_effects;
mod from_agent;
mod from_chat;
mod local;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skein_mattermost::{self as mattermost, Events};
use skein_opencode::Client as AgentClient;
use skein_workspace::Env;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, sleep, sleep_until};

pub(crate) use agent_server::AgentSource;

use agent_effects::AgentFailure;
use agent_server::{AgentInput, follow_agent};
use chat_effects::Draft;
use from_chat::{ChannelKinds, chat_event, chat_time};

use crate::core::ids::{ChannelId, PostId, Time, UserId};
use crate::core::input::{AgentEvent, ChannelSeen, ChatEvent};
use crate::core::{Action, Core, Input};
use crate::links::session_links;
use crate::map::{BridgeMap, time};
use crate::socket::{SOCKET, listen};
use crate::state_dir::{StateDir, StateError};

/// How often the session map is compared with the entries of the bridge.
const MAP_INTERVAL: Duration = Duration::from_secs(2);
/// Time between attempts to read the channels of the bot.
const CHANNELS_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of events of OpenCode that wait.
const MAX_WAITING: usize = 256;

/// Everything that a running bridge needs.
pub(crate) struct Parts {
    pub(crate) env: Env,
    pub(crate) chat: mattermost::Client,
    pub(crate) agent: AgentSource,
    pub(crate) core: Core,
    pub(crate) bot: UserId,
    pub(crate) state: StateDir,
    pub(crate) map: BridgeMap,
    /// The directories that sessions may use, without links.
    pub(crate) allowed: Vec<PathBuf>,
    /// The directories whose sessions are followed from the start.
    pub(crate) directories: Vec<String>,
    /// Prints a line for the user of the terminal.
    pub(crate) note: Box<dyn Fn(&str) + Send>,
}

/// Why a running bridge ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("Mattermost does not accept the token of the bot any more")]
    TokenRevoked,
    #[error(transparent)]
    State(#[from] StateError),
}

/// Runs the bridge until it is stopped.
pub(crate) async fn run(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), RunError> {
    let (results, mut outcomes) = mpsc::unbounded_channel();
    let (client_sender, agent_client) = watch::channel(None);
    let (agent_sender, mut agent_inputs) = mpsc::channel(MAX_WAITING);
    let revoked = Arc::new(Notify::new());
    let shared = Shared {
        kinds: ChannelKinds::default(),
        directories: parts.directories.into_iter().collect(),
    };
    let effects = Effects {
        env: parts.env.clone(),
        chat: parts.chat.clone(),
        agent: agent_client,
        bot: parts.bot,
        allowed: parts.allowed.into(),
        files: parts.state.path().join("files"),
        revoked: Arc::clone(&revoked),
        results,
        shared: Arc::new(Mutex::new(shared)),
    };
    let follower = tokio::spawn(follow_agent(parts.agent, client_sender, agent_sender));
    let mut events = Events::start(parts.chat);
    let mut calls = listen(&parts.state.path().join(SOCKET)).unwrap_or_else(|error| {
        (parts.note)(&format!("Warning: this bridge takes no requests of other programs: {error}"));
        mpsc::channel(1).1
    });
    let mut runner =
        Runner { env: parts.env, core: parts.core, state: parts.state, map: parts.map, effects };
    let mut map_ticks = interval(MAP_INTERVAL);
    map_ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(stop);
    let ended = loop {
        let wakeup = runner.core.next_wakeup().map(|at| runner.instant(at));
        let wake = async {
            match wakeup {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // Results of actions first, so that events never overtake the answer to what the core did before.
            biased;
            () = &mut stop => break Ok(()),
            () = revoked.notified() => break Err(RunError::TokenRevoked),
            Some(outcome) = outcomes.recv() => runner.handle(outcome)?,
            event = events.next() => match event {
                Some(mattermost::Event::Connected { complete }) => runner.chat_connected(complete),
                Some(mattermost::Event::Unauthorized) | None => break Err(RunError::TokenRevoked),
                Some(event) => {
                    if let mattermost::Event::Disconnected { reason } = &event {
                        (parts.note)(&format!("Mattermost: {reason}; connecting again."));
                    }
                    runner.chat_event(event)?;
                }
            },
            Some(input) = agent_inputs.recv() => match input {
                AgentInput::Note(text) => (parts.note)(&text),
                AgentInput::Event { directory, event } => runner.agent_event(directory, *event)?,
            },
            Some(call) = calls.recv() => runner.answer(call)?,
            () = wake => runner.handle(Input::Wake)?,
            _ = map_ticks.tick() => runner.check_map(),
        }
    };
    // Without receivers the follower ends, and stops its server.
    drop(agent_inputs);
    drop(follower.await);
    ended
}

struct Runner {
    env: Env,
    core: Core,
    state: StateDir,
    map: BridgeMap,
    effects: Effects,
}

impl Runner {
    /// Gives an input to the core and carries out what it returns.
    fn handle(&mut self, input: Input) -> Result<(), RunError> {
        let now = self.now();
        let actions = self.core.handle(now, input);
        let records = actions.iter().filter_map(|action| match action {
            Action::Journal(record) => Some(record),
            _ => None,
        });
        self.state.append(records, self.core.state())?;
        for action in actions {
            self.perform(action);
        }
        Ok(())
    }

    fn perform(&mut self, action: Action) {
        let written = match action {
            Action::Journal(_) => Ok(()),
            Action::Audit(entry) => {
                if let Err(error) = self.state.audit(&entry) {
                    tracing::warn!("the audit log cannot be written: {error}");
                }
                Ok(())
            }
            Action::SetMapping(mapping) => self.map.set(&mapping),
            Action::TouchMapping { session, at } => self.map.touch(session.as_str(), time(at.0)),
            Action::EndMapping { session, status, .. } => {
                self.map.set_status(session.as_str(), status)
            }
            action => {
                self.effects.start(action);
                Ok(())
            }
        };
        if let Err(error) = written {
            tracing::warn!("the session map cannot be written: {error}");
        }
    }

    /// Reads which channels have new posts, and tells the core that events arrive.
    fn chat_connected(&self, complete: bool) {
        let effects = self.effects.clone();
        tokio::spawn(async move {
            let channels = effects.channels().await;
            let connected = ChatEvent::Connected { complete, channels };
            // The receiver is gone only when the bridge ends.
            drop(effects.results.send(Input::Chat(connected)));
        });
    }

    fn chat_event(&mut self, event: mattermost::Event) -> Result<(), RunError> {
        let event = {
            let mut shared = self.effects.shared();
            chat_event(event, &self.effects.bot, &mut shared.kinds)
        };
        match event {
            Some(event) => self.handle(Input::Chat(event)),
            None => Ok(()),
        }
    }

    fn agent_event(
        &mut self,
        directory: Option<String>,
        event: AgentEvent,
    ) -> Result<(), RunError> {
        if let (Some(directory), AgentEvent::Session(_)) = (directory, &event) {
            self.effects.shared().directories.insert(directory);
        }
        self.handle(Input::Agent(event))
    }

    fn check_map(&mut self) {
        if let Err(error) = self.map.check() {
            tracing::warn!("the session map cannot be checked: {error}");
        }
    }

    fn now(&self) -> Time {
        chat_time(self.env.clock.now().as_millis())
    }

    fn instant(&self, at: Time) -> tokio::time::Instant {
        let wait = Duration::from_millis(at.0.saturating_sub(self.now().0));
        tokio::time::Instant::now() + wait
    }
}

/// Carries out actions, each in a task of its own, and sends their results to the runner.
#[derive(Clone)]
pub(crate) struct Effects {
    env: Env,
    chat: mattermost::Client,
    agent: watch::Receiver<Option<AgentClient>>,
    bot: UserId,
    /// The directories that sessions may use, without links.
    allowed: Arc<[PathBuf]>,
    /// Where files of posts are saved for the agent.
    files: PathBuf,
    revoked: Arc<Notify>,
    results: mpsc::UnboundedSender<Input>,
    shared: Arc<Mutex<Shared>>,
}

/// What was learned from events.
struct Shared {
    kinds: ChannelKinds,
    /// The directories whose sessions are followed.
    directories: BTreeSet<String>,
}

impl Effects {
    fn start(&self, action: Action) {
        let this = self.clone();
        tokio::spawn(async move {
            if let Some(outcome) = this.carry_out(action).await {
                // The receiver is gone only when the bridge ends.
                drop(this.results.send(Input::Outcome(outcome)));
            }
        });
    }

    async fn carry_out(&self, action: Action) -> Option<crate::core::input::Outcome> {
        Some(match action {
            Action::CreatePost { key, channel, root, text, file } => {
                self.create_post(Draft { key, channel, root, text, file }).await
            }
            Action::EditPost { key, post, text } => self.edit_post(key, post, text).await,
            Action::FindPosts { lane, channel, root, since } => {
                self.find_posts(lane, channel, root, since).await
            }
            Action::AddReaction { post, emoji } => {
                let added = self.chat.add_reaction(self.bot.as_str(), post.as_str(), emoji).await;
                drop(self.note(added));
                return None;
            }
            Action::RemoveReaction { post, emoji } => {
                let removed =
                    self.chat.remove_reaction(self.bot.as_str(), post.as_str(), emoji).await;
                drop(self.note(removed));
                return None;
            }
            Action::FetchReactions { post } => return self.fetch_reactions(post).await,
            Action::CatchUp { channel, since } => self.catch_up(channel, since).await,
            Action::CreateSession { post, directory, title } => {
                self.create_session(post, directory, title).await
            }
            Action::Prompt(request) => self.prompt(request).await,
            Action::FetchAgent { connection } => self.fetch_agent(connection).await,
            Action::FetchMessages { session, directory, since, connection } => {
                self.fetch_messages(session, directory, since, connection).await
            }
            Action::Reply { id, directory, reply, .. } => self.reply(id, &directory, reply).await,
            Action::Query { post, query } => self.query(post, query).await,
            Action::FetchLinks { directory, sessions } => {
                let text = self.describe(directory, session_links).await?;
                crate::core::input::Outcome::LinksFetched { sessions, text }
            }
            Action::Abort { session, directory } => {
                self.abort(&session, &directory).await;
                return None;
            }
            Action::Compact { session, directory, model } => {
                self.compact(&session, &directory, model).await;
                return None;
            }
            Action::Unarchive { session, directory } => {
                self.unarchive(&session, &directory).await;
                return None;
            }
            Action::Journal(_)
            | Action::Audit(_)
            | Action::SetMapping(_)
            | Action::TouchMapping { .. }
            | Action::EndMapping { .. } => return None,
        })
    }

    /// Returns the channels of the bot with the time of their last post. It tries until the server answers: without
    /// them, missed posts would not be found.
    async fn channels(&self) -> Vec<ChannelSeen> {
        let channels = loop {
            let found = self.chat.my_channels().await;
            match self.note(found) {
                Ok(channels) => break channels,
                Err(error) => tracing::warn!("the channels cannot be read: {error}"),
            }
            sleep(CHANNELS_INTERVAL).await;
        };
        let mut shared = self.shared();
        for channel in &channels {
            shared.kinds.set(&channel.id, channel.kind);
        }
        let seen = channels.into_iter().map(|channel| ChannelSeen {
            channel: ChannelId::from(channel.id),
            last_post_at: chat_time(channel.last_post_at),
        });
        seen.collect()
    }

    /// Returns an allowed directory without links, or why it is none. The core compares only names.
    fn real_directory(&self, directory: &str) -> Result<PathBuf, &'static str> {
        let real = std::path::Path::new(directory).canonicalize();
        let real = real.ok().filter(|path| path.is_dir()).ok_or("the directory does not exist")?;
        match self.allowed.iter().any(|allowed| real.starts_with(allowed)) {
            true => Ok(real),
            false => Err("the directory is a link to one that is not allowed"),
        }
    }

    fn agent(&self) -> Result<AgentClient, AgentFailure> {
        self.agent.borrow().clone().ok_or(AgentFailure::Down)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn directories(&self) -> Vec<String> {
        self.shared().directories.iter().cloned().collect()
    }

    /// Saves a file of a post, which only the user can read.
    fn save_file(
        &self,
        post: &PostId,
        name: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, skein_workspace::FileError> {
        let dir = self.files.join(post.as_str());
        let fs = &*self.env.fs;
        skein_store::ensure_dir(fs, &dir, 0o700)?;
        let guard = skein_store::lock(fs, &dir, Duration::from_secs(1))?;
        let path = dir.join(name);
        match skein_store::create_new(fs, &guard, &path, bytes, 0o600) {
            // It was saved before a restart.
            Ok(_) | Err(skein_store::CreateError::Exists { .. }) => Ok(path),
            Err(error) => Err(error.into()),
        }
    }
}

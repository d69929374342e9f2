//! Connects the core with both servers and with the disk.

mod agent_effects;
mod agent_server;
mod chat_effects;
mod from_agent;
mod from_chat;
mod local;
mod presence;
mod prompt_effects;
mod reactions;
mod saved_files;
mod signals;
#[cfg(test)]
mod stand_in;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skein_mattermost::{self as mattermost, MattermostEvents};
use skein_opencode::OpencodeClient;
use skein_workspace::Env;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until, timeout};

pub(crate) use agent_server::AgentSource;
pub(crate) use presence::Presence;

use agent_effects::AgentFailure;
use agent_server::{AgentInput, follow_agent};
use chat_effects::Draft;
use from_chat::{ChannelKinds, chat_event, chat_time};
use reactions::ReactionChange;
use saved_files::SavedFiles;
use signals::Signals;

use crate::core::ids::{ChannelId, Millis, SessionId, UserId};
use crate::core::input::{AgentEvent, ChannelSeen, ChatEvent, Outcome};
use crate::core::{BridgeAction, Core, Input};
use crate::directory_threads::session_links;
use crate::map::{MapChange, MapWriter};
use crate::socket::{SOCKET, SocketCall, listen};
use crate::state_dir::{StateDir, StateError};

/// Time between attempts to read the channels of the bot.
const CHANNELS_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time of the last save of the session map.
const MAP_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of events of OpenCode that wait.
const MAX_WAITING: usize = 256;

/// Everything that a running bridge needs.
pub(crate) struct Parts {
    pub(crate) env: Env,
    pub(crate) chat: mattermost::MattermostClient,
    pub(crate) agent: AgentSource,
    pub(crate) core: Core,
    pub(crate) bot: UserId,
    pub(crate) state: StateDir,
    pub(crate) map: MapWriter,
    /// Sessions that other programs end in the map.
    pub(crate) ended_sessions: mpsc::UnboundedReceiver<SessionId>,
    /// The directories that sessions may use, without links.
    pub(crate) allowed: Vec<PathBuf>,
    /// The directories whose sessions are followed from the start.
    pub(crate) directories: Vec<String>,
    pub(crate) presence: Presence,
    /// What the user of the terminal is told when no other bridge objects.
    pub(crate) welcome: String,
    /// Prints a line for the user of the terminal.
    pub(crate) note: Box<dyn Fn(&str) + Send>,
}

/// Why a running bridge ended.
#[derive(Debug, thiserror::Error)]
pub enum BridgeRunError {
    #[error("Mattermost does not accept the token of the bot any more")]
    TokenRevoked,
    #[error("internal error in the bridge; start it again to continue")]
    TaskFailed,
    #[error("another bridge is running with this bot, on the machine {host}")]
    OtherBridge { host: String },
    #[error(transparent)]
    State(#[from] StateError),
}

/// Runs the bridge until it is stopped.
pub(crate) async fn run(
    parts: Parts,
    stop: impl Future<Output = ()>,
) -> Result<(), BridgeRunError> {
    tokio::pin!(stop);
    let mut events = MattermostEvents::start(parts.chat.clone());
    let early = tokio::select! {
        () = &mut stop => return Ok(()),
        claimed = parts.presence.claim(async || events.next().await, &*parts.note) => claimed?,
    };
    (parts.note)(&parts.welcome);
    let (results, outcomes) = mpsc::unbounded_channel();
    let (client_sender, agent_client) = watch::channel(None);
    let (agent_sender, agent_inputs) = mpsc::channel(MAX_WAITING);
    let shared = Shared {
        kinds: ChannelKinds::default(),
        directories: parts.directories.into_iter().collect(),
    };
    let signals = Signals::default();
    let effects = Effects {
        env: parts.env.clone(),
        reactions: reactions::start(parts.chat.clone(), parts.bot.clone(), signals.clone()),
        chat: parts.chat,
        agent: agent_client,
        bot: parts.bot,
        allowed: parts.allowed.into(),
        files: SavedFiles::new(&parts.env, parts.state.path().join("files")),
        signals,
        results,
        shared: Arc::new(Mutex::new(shared)),
    };
    let run = parts.env.ids.next();
    let follower = tokio::spawn(follow_agent(parts.agent, run, client_sender, agent_sender));
    let calls = listen(&parts.state.path().join(SOCKET)).unwrap_or_else(|error| {
        (parts.note)(&format!("Warning: this bridge takes no requests of other programs: {error}"));
        mpsc::channel(1).1
    });
    let mut runner = Runner {
        env: parts.env,
        core: parts.core,
        state: parts.state,
        map: parts.map,
        effects,
        presence: parts.presence.into_running(),
        note: parts.note,
    };
    let ended_sessions = parts.ended_sessions;
    let mut sources = Sources { outcomes, events, agent_inputs, calls, ended_sessions };
    let ended = runner.handle_all(early, &mut sources, stop).await;
    // Without receivers the follower ends, and stops its server.
    drop(sources);
    drop(follower.await);
    // Another program can have locked the map. The next bridge writes what is missing.
    drop(timeout(MAP_TIMEOUT, runner.map.finish()).await);
    ended
}

/// Where inputs come from.
struct Sources {
    outcomes: mpsc::UnboundedReceiver<Input>,
    events: MattermostEvents,
    agent_inputs: mpsc::Receiver<AgentInput>,
    calls: mpsc::Receiver<SocketCall>,
    ended_sessions: mpsc::UnboundedReceiver<SessionId>,
}

struct Runner {
    env: Env,
    core: Core,
    state: StateDir,
    map: MapWriter,
    effects: Effects,
    presence: Presence,
    /// Prints a line for the user of the terminal.
    note: Box<dyn Fn(&str) + Send>,
}

impl Runner {
    /// Handles inputs until the bridge is stopped, events that came before first.
    async fn handle_all(
        &mut self,
        early: Vec<mattermost::MattermostEvent>,
        sources: &mut Sources,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<(), BridgeRunError> {
        for event in early {
            self.take_chat_event(Some(event))?;
        }
        let signals = self.effects.signals.clone();
        loop {
            let wakeup = self.core.next_wakeup().map(|at| self.instant(at));
            let wake = async {
                match wakeup {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // Results of actions first, so that events never overtake the answer to what the core did before.
                biased;
                () = &mut stop => return Ok(()),
                () = signals.revoked.notified() => return Err(BridgeRunError::TokenRevoked),
                () = signals.failed.notified() => return Err(BridgeRunError::TaskFailed),
                Some(outcome) = sources.outcomes.recv() => self.handle(outcome)?,
                event = sources.events.next() => self.take_chat_event(event)?,
                input = sources.agent_inputs.recv() => match input.ok_or(BridgeRunError::TaskFailed)? {
                    AgentInput::Note(text) => (self.note)(&text),
                    AgentInput::Event { directory, event } => self.agent_event(directory, *event)?,
                },
                Some(call) = sources.calls.recv() => self.answer(call)?,
                Some(session) = sources.ended_sessions.recv() => {
                    self.handle(Input::SessionEnded(session))?;
                }
                () = wake => self.handle(Input::Wake)?,
            }
        }
    }

    /// Takes what Mattermost reports. Its events have no end while the token is accepted.
    fn take_chat_event(
        &mut self,
        event: Option<mattermost::MattermostEvent>,
    ) -> Result<(), BridgeRunError> {
        use mattermost::MattermostEvent;
        match event {
            None => Err(BridgeRunError::TaskFailed),
            Some(MattermostEvent::Unauthorized) => Err(BridgeRunError::TokenRevoked),
            Some(MattermostEvent::Connected { complete }) => self.chat_connected(complete),
            Some(MattermostEvent::PreferencesChanged(preferences)) => {
                let answer = self.presence.answer(&preferences)?;
                if answer {
                    self.announce();
                }
                Ok(())
            }
            Some(event) => {
                if let MattermostEvent::Disconnected { reason } = &event {
                    (self.note)(&format!("Mattermost: {reason}; connecting again."));
                }
                self.chat_event(event)
            }
        }
    }

    /// Tells other bridges of this bot that this one is running.
    fn announce(&self) {
        let (presence, effects) = (self.presence.clone(), self.effects.clone());
        self.effects.signals.spawn(async move {
            if let Err(error) = effects.note(presence.announce().await) {
                tracing::warn!("cannot notify other bridges of this bot: {error}");
            }
        });
    }

    /// Gives an input to the core and carries out what it returns.
    fn handle(&mut self, input: Input) -> Result<(), BridgeRunError> {
        let now = self.now();
        let actions = self.core.handle(now, input);
        let (mut entries, mut records) = (Vec::new(), Vec::new());
        for action in &actions {
            match action {
                BridgeAction::Audit(entry) => entries.push(entry),
                BridgeAction::Journal(record) => records.push(record),
                _ => {}
            }
        }
        self.state.append(&entries, &records, self.core.state())?;
        for action in actions {
            self.perform(action);
        }
        Ok(())
    }

    fn perform(&mut self, action: BridgeAction) {
        match action {
            BridgeAction::Journal(_) | BridgeAction::Audit(_) => {}
            BridgeAction::Warn(text) => (self.note)(&format!("Warning: {text}")),
            BridgeAction::SetMapping(mapping) => self.change_map(MapChange::Set(mapping)),
            BridgeAction::TouchMapping { session, at } => {
                self.change_map(MapChange::Touch { session, at });
            }
            BridgeAction::EndMapping { session, status } => {
                self.change_map(MapChange::Status { session, status });
            }
            action => self.effects.start(action),
        }
    }

    fn change_map(&self, change: MapChange) {
        if !self.map.send(change) {
            self.effects.signals.failed.notify_one();
        }
    }

    /// Tells the core that events arrive. If some were lost, reads first which channels have new posts.
    fn chat_connected(&mut self, complete: bool) -> Result<(), BridgeRunError> {
        // Another bridge can have started while this one was not connected.
        self.announce();
        if complete {
            let channels = Vec::new();
            return self.handle(Input::Chat(ChatEvent::Connected { complete, channels }));
        }
        // Later events must not hide that there was a gap before them.
        self.handle(Input::Chat(ChatEvent::Missed))?;
        let effects = self.effects.clone();
        self.effects.signals.spawn(async move {
            let channels = effects.channels().await;
            let connected = ChatEvent::Connected { complete, channels };
            // The receiver is gone only when the bridge ends.
            drop(effects.results.send(Input::Chat(connected)));
        });
        Ok(())
    }

    fn chat_event(&mut self, event: mattermost::MattermostEvent) -> Result<(), BridgeRunError> {
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
    ) -> Result<(), BridgeRunError> {
        if let (Some(directory), AgentEvent::Session(info)) = (directory, &event)
            && self.core.follows(info)
        {
            self.effects.shared().directories.insert(directory);
        }
        self.handle(Input::Agent(event))
    }

    fn now(&self) -> Millis {
        chat_time(self.env.clock.now().as_millis())
    }

    fn instant(&self, at: Millis) -> tokio::time::Instant {
        let wait = Duration::from_millis(at.0.saturating_sub(self.now().0));
        tokio::time::Instant::now() + wait
    }
}

/// Carries out actions, each in a task of its own, and sends their results to the runner.
#[derive(Clone)]
pub(crate) struct Effects {
    env: Env,
    chat: mattermost::MattermostClient,
    agent: watch::Receiver<Option<OpencodeClient>>,
    bot: UserId,
    /// The directories that sessions may use, without links.
    allowed: Arc<[PathBuf]>,
    files: SavedFiles,
    signals: Signals,
    reactions: mpsc::UnboundedSender<ReactionChange>,
    /// Without a limit: an action has one result, and the core limits the actions.
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
    fn start(&self, action: BridgeAction) {
        let action = match action {
            BridgeAction::AddReaction { post, emoji } => {
                return self.change_reaction(ReactionChange { post, emoji, is_added: true });
            }
            BridgeAction::RemoveReaction { post, emoji } => {
                return self.change_reaction(ReactionChange { post, emoji, is_added: false });
            }
            action => action,
        };
        let this = self.clone();
        self.signals.spawn(async move {
            if let Some(outcome) = this.carry_out(action).await {
                // The receiver is gone only when the bridge ends.
                drop(this.results.send(Input::Outcome(outcome)));
            }
        });
    }

    fn change_reaction(&self, change: ReactionChange) {
        // The receiver is gone only when the bridge ends.
        drop(self.reactions.send(change));
    }

    async fn carry_out(&self, action: BridgeAction) -> Option<Outcome> {
        Some(match action {
            BridgeAction::CreatePost { key, channel, root, text, file } => {
                self.create_post(Draft { key, channel, root, text, file }).await
            }
            BridgeAction::EditPost { key, channel, post, text } => {
                self.edit_post(key, channel, post, text).await
            }
            BridgeAction::FindPosts { lane, channel, root, since } => {
                self.find_posts(lane, channel, root, since).await
            }
            BridgeAction::FetchReactions { post } => return self.fetch_reactions(post).await,
            BridgeAction::CatchUp { channel, since } => self.catch_up(channel, since).await,
            BridgeAction::FetchUsers { users } => return self.fetch_users(users).await,
            BridgeAction::FetchPosts { channel, posts } => self.fetch_posts(channel, posts).await,
            BridgeAction::CreateSession { post, directory, title } => {
                self.create_session(post, directory, title).await
            }
            BridgeAction::Prompt(request) => self.prompt(request).await,
            BridgeAction::FetchAgent { connection } => self.fetch_agent(connection).await,
            BridgeAction::FetchMessages { session, directory, since, connection } => {
                self.fetch_messages(session, directory, since, connection).await
            }
            BridgeAction::Reply { id, directory, reply, .. } => {
                self.reply(id, &directory, reply).await
            }
            BridgeAction::Query { post, query } => self.query(post, query).await,
            BridgeAction::FetchLinks { directory, sessions } => {
                let text = self.describe(directory, session_links).await?;
                Outcome::LinksFetched { sessions, text }
            }
            BridgeAction::Abort { session, directory } => {
                self.abort(&session, &directory).await;
                return None;
            }
            BridgeAction::Compact { post, session, directory, model } => {
                let error = self.compact(&session, &directory, model).await.err()?;
                let error = self.agent_failure(error);
                Outcome::CompactFailed { post, session, error }
            }
            BridgeAction::Journal(_)
            | BridgeAction::Audit(_)
            | BridgeAction::Warn(_)
            | BridgeAction::AddReaction { .. }
            | BridgeAction::RemoveReaction { .. }
            | BridgeAction::SetMapping(_)
            | BridgeAction::TouchMapping { .. }
            | BridgeAction::EndMapping { .. } => return None,
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

    /// Returns an allowed directory without links, or why it may not be used. The core compares only names.
    fn real_directory(&self, directory: &str) -> Result<PathBuf, &'static str> {
        let real = std::path::Path::new(directory).canonicalize();
        let real = real.ok().filter(|path| path.is_dir()).ok_or("the directory does not exist")?;
        match self.allowed.iter().any(|allowed| real.starts_with(allowed)) {
            true => Ok(real),
            false => Err("the directory is a link to one that is not allowed"),
        }
    }

    fn agent(&self) -> Result<OpencodeClient, AgentFailure> {
        self.agent.borrow().clone().ok_or(AgentFailure::Down)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn directories(&self) -> Vec<String> {
        self.shared().directories.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests;

//! Both servers and the runner, in memory, with a clock that the test moves.

mod agent;
mod chat;

use std::collections::{BTreeMap, VecDeque};

use skein_bridge::core::action::{Audit, CommandQuery, MappingStatus, ThreadMapping};
use skein_bridge::core::ids::{MessageId, Millis, PostId, SessionId};
use skein_bridge::core::input::{AgentEvent, ChatEvent, Input, Outcome, Reaction};
use skein_bridge::core::settings::Approvals;
use skein_bridge::core::{BridgeAction, BridgeSettings, BridgeState, Core, JournalRecord};

pub(crate) use agent::AgentServer;
pub(crate) use chat::{ChatServer, MAX_POST_CHARS};

pub(crate) const OWNER: &str = "user-owner";
pub(crate) const BOT: &str = "user-bot";
pub(crate) const HOME: &str = "direct-owner";
pub(crate) const CHANNEL: &str = "channel-main";
pub(crate) const START: u64 = 1_000_000_000;

const MAX_RECORDS: usize = 40;

pub(crate) struct World {
    pub(crate) core: Core,
    pub(crate) settings: BridgeSettings,
    /// The records on disk.
    pub(crate) journal: Vec<JournalRecord>,
    pub(crate) now: u64,
    pub(crate) chat: ChatServer,
    pub(crate) agent: AgentServer,
    /// Actions that are not carried out yet.
    queue: VecDeque<BridgeAction>,
    /// Steps until the bridge is killed.
    pub(crate) steps_to_kill: Option<usize>,
    /// What happens to the next events: one byte for each.
    pub(crate) faults: VecDeque<u8>,
    pub(crate) audit: Vec<Audit>,
    /// What was printed.
    pub(crate) warnings: Vec<String>,
    pub(crate) map: BTreeMap<SessionId, (Option<ThreadMapping>, MappingStatus)>,
}

pub(crate) fn settings() -> BridgeSettings {
    BridgeSettings {
        bot: BOT.into(),
        bot_name: "skein".into(),
        owners: [OWNER.into()].into(),
        users: ["user-friend".into()].into(),
        names: [].into(),
        home: HOME.into(),
        home_owner: OWNER.into(),
        channel: Some(CHANNEL.into()),
        approvals: Approvals::Owners,
        start_from_chat: true,
        directories: vec!["/src/app".into(), "/src/web".into()],
        prefix: "!".into(),
        reasoning: false,
        max_post_chars: 12_000,
        max_post_size: MAX_POST_CHARS,
        max_file_bytes: 1_000_000,
        max_prompts_per_minute: 20,
        message_id,
    }
}

/// Ids that grow with the time, as those of OpenCode.
fn message_id(now: u64, last: Option<&str>, seed: &str) -> String {
    let least = last.and_then(|last| u64::from_str_radix(last.get(4..16)?, 16).ok());
    let number = (now * 0x1000).max(least.unwrap_or(0) + 1);
    format!("msg_{number:012x}-{seed}")
}

impl World {
    /// Both servers are connected and empty.
    pub(crate) fn new() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: BridgeSettings) -> Self {
        let core = Core::new(settings.clone(), BridgeState::default());
        let mut world = Self {
            core,
            settings,
            journal: Vec::new(),
            now: START,
            chat: ChatServer::default(),
            agent: AgentServer::default(),
            queue: VecDeque::new(),
            steps_to_kill: None,
            faults: VecDeque::new(),
            audit: Vec::new(),
            warnings: Vec::new(),
            map: BTreeMap::new(),
        };
        world.connect();
        world
    }

    /// Gives the core an input, and carries out all that follows.
    pub(crate) fn feed(&mut self, input: Input) {
        self.give(input);
        self.run();
    }

    /// Gives the core an input; its actions wait.
    pub(crate) fn give(&mut self, input: Input) {
        let actions = self.core.handle(Millis(self.now), input);
        // All records and log entries of one call are written at once.
        for action in actions {
            match action {
                BridgeAction::Journal(record) => self.journal.push(record),
                BridgeAction::Audit(entry) => self.audit.push(entry),
                action => self.queue.push_back(action),
            }
        }
    }

    /// Carries out all actions, and delivers all events of the agent.
    pub(crate) fn run(&mut self) {
        loop {
            if let Some(action) = self.queue.pop_front() {
                if self.is_killed() {
                    continue;
                }
                let outcome = self.perform(action);
                // The bridge can die before it learns of the result.
                if self.is_killed() {
                    continue;
                }
                if let Some(outcome) = outcome {
                    self.give(Input::Outcome(outcome));
                }
            } else if let Some(event) = self.next_event() {
                self.give(Input::Agent(event));
            } else {
                return;
            }
        }
    }

    /// Returns the next event of the agent. It can come twice, and a delta can come early.
    fn next_event(&mut self) -> Option<AgentEvent> {
        let is_delta = |event: &AgentEvent| matches!(event, AgentEvent::Delta { .. });
        match self.faults.pop_front().unwrap_or(0) % 8 {
            1 => {
                let event = self.agent.events.front()?.clone();
                self.give(Input::Agent(event));
            }
            2 | 3 if self.agent.events.get(1).is_some_and(is_delta) => {
                self.agent.events.swap(0, 1);
            }
            _ => {}
        }
        self.agent.events.pop_front()
    }

    fn is_killed(&mut self) -> bool {
        match self.steps_to_kill {
            Some(0) => {
                self.steps_to_kill = None;
                self.kill();
                true
            }
            Some(steps) => {
                self.steps_to_kill = Some(steps - 1);
                false
            }
            None => false,
        }
    }

    /// Kills the bridge and starts it again from its journal.
    pub(crate) fn kill(&mut self) {
        self.kill_unconnected();
        self.connect();
    }

    /// Like `kill`, but the new bridge is not connected with the servers yet.
    pub(crate) fn kill_unconnected(&mut self) {
        self.queue.clear();
        self.agent.events.clear();
        // Now and then the journal is made shorter.
        if self.journal.len() > MAX_RECORDS {
            self.journal = vec![self.core.snapshot()];
        }
        let journal = serde_json::to_string(&self.journal).unwrap();
        let records: Vec<JournalRecord> = serde_json::from_str(&journal).unwrap();
        let state = BridgeState::from_records(&records);
        assert_eq!(state, *self.core.state(), "the journal gives the same state");
        self.core = Core::new(self.settings.clone(), state);
        for (mapping, status) in self.core.mappings() {
            self.map.insert(mapping.session.clone(), (Some(mapping), status));
        }
    }

    /// Connects the bridge with both servers.
    pub(crate) fn connect(&mut self) {
        self.connect_chat();
        self.connect_agent();
    }

    pub(crate) fn connect_chat(&mut self) {
        let channels = self.chat.channels();
        self.chat.is_down = false;
        self.feed(Input::Chat(ChatEvent::Connected { complete: false, channels }));
    }

    pub(crate) fn connect_agent(&mut self) {
        self.agent.is_down = false;
        self.feed(Input::Agent(self.agent.connected()));
    }

    /// OpenCode dies and is started again. Turns that it worked on are lost.
    pub(crate) fn restart_agent(&mut self) {
        self.agent.restart();
        self.feed(Input::Agent(AgentEvent::Disconnected));
        self.connect_agent();
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) {
        let end = self.now + milliseconds;
        while let Some(Millis(at)) = self.core.next_wakeup().filter(|at| at.0 <= end) {
            self.now = at.max(self.now);
            self.feed(Input::Wake);
        }
        self.now = end;
    }

    fn perform(&mut self, action: BridgeAction) -> Option<Outcome> {
        assert!(self.is_logged(&action), "not in the log before it is done: {action:?}");
        match action {
            BridgeAction::Warn(text) => self.warnings.push(text),
            BridgeAction::SetMapping(mapping) => {
                let entry = (Some(mapping.clone()), MappingStatus::Active);
                self.map.insert(mapping.session, entry);
            }
            BridgeAction::EndMapping { session, status } => {
                self.map.entry(session).or_insert((None, status)).1 = status;
            }
            BridgeAction::TouchMapping { .. }
            | BridgeAction::Journal(_)
            | BridgeAction::Audit(_) => {}
            action => {
                return match self.chat.perform(&action, self.now) {
                    Some(outcome) => Some(outcome),
                    None => self.agent.perform(&action, self.now),
                };
            }
        }
        None
    }

    /// Returns whether the audit log has what an action asks of the agent.
    fn is_logged(&self, action: &BridgeAction) -> bool {
        let (session, what) = match action {
            BridgeAction::CreateSession { directory, .. } => {
                (None, format!("start in {directory}"))
            }
            BridgeAction::Prompt(request) => (Some(&request.session), "prompt ".to_owned()),
            BridgeAction::Reply { id, session, .. } => (Some(session), format!("answer {id}")),
            BridgeAction::Abort { session, .. } => (Some(session), "abort".to_owned()),
            BridgeAction::Compact { session, .. } => (Some(session), "compact".to_owned()),
            BridgeAction::Query { query: CommandQuery::Unarchive { session, .. }, .. } => {
                (Some(session), "resume".to_owned())
            }
            _ => return true,
        };
        let mut entries = self.audit.iter().rev();
        entries.any(|entry| {
            let is_sent = entry.result.starts_with("sent");
            is_sent && entry.session.as_ref() == session && entry.what.starts_with(&what)
        })
    }

    /// A user posts; the bridge hears it if the chat is connected.
    pub(crate) fn post(&mut self, user: &str, root: Option<&PostId>, text: &str) -> PostId {
        let channel = root.map_or(HOME.into(), |root| self.chat.post(root).channel.clone());
        self.post_in(channel.as_str(), user, root, text)
    }

    pub(crate) fn post_in(
        &mut self,
        channel: &str,
        user: &str,
        root: Option<&PostId>,
        text: &str,
    ) -> PostId {
        self.now += 1;
        let post = self.chat.write(channel, user, root, text, self.now);
        let id = post.id.clone();
        if !self.chat.is_down {
            self.feed(Input::Chat(ChatEvent::Posted(post)));
        }
        id
    }

    /// A user reacts; the bridge hears it if the chat is connected.
    pub(crate) fn react(&mut self, user: &str, post: &PostId, emoji: &str) {
        let (post, at) = (post.clone(), Millis(self.now - self.chat.behind));
        let reaction = Reaction { post, user: user.into(), emoji: emoji.into(), at };
        self.chat.reactions.push(reaction.clone());
        if !self.chat.is_down {
            self.feed(Input::Chat(ChatEvent::Reacted(reaction)));
        }
    }

    pub(crate) fn owner(&mut self, text: &str) -> PostId {
        self.post(OWNER, None, text)
    }

    pub(crate) fn reply(&mut self, root: &PostId, text: &str) -> PostId {
        self.post(OWNER, Some(root), text)
    }

    /// Starts a session from the chat and returns its root post and id.
    pub(crate) fn session(&mut self, text: &str) -> (PostId, SessionId) {
        let root = self.owner(text);
        let session = self.core.state().roots.get(&root).unwrap().clone();
        (root, session)
    }

    /// Starts a session in the channel, in which others can write too.
    pub(crate) fn session_in_channel(&mut self, text: &str) -> (PostId, SessionId) {
        let root = self.post_in(CHANNEL, OWNER, None, &format!("@skein {text}"));
        let session = self.core.state().roots[&root].clone();
        (root, session)
    }

    /// The agent writes text, as deltas.
    pub(crate) fn write(&mut self, session: &SessionId, text: &str) {
        self.agent.write(session, text, self.now);
        self.run();
    }

    /// The agent finishes its answer.
    pub(crate) fn finish(&mut self, session: &SessionId) {
        self.agent.finish(session, self.now);
        self.run();
    }

    /// The agent answers with a text, and time passes until the thread shows it.
    pub(crate) fn answer(&mut self, session: &SessionId, text: &str) {
        self.write(session, text);
        self.finish(session);
        self.wait(3_000);
    }

    /// Returns the texts of a thread, in order, with the authors of the users' posts.
    pub(crate) fn thread(&self, root: &PostId) -> Vec<String> {
        self.chat.thread(root).iter().map(|post| post.shown()).collect()
    }

    /// Returns the texts of the answers in a thread.
    pub(crate) fn answers(&self, root: &PostId) -> Vec<String> {
        let posts = self.chat.thread(root);
        let is_answer = |key: &str| key.starts_with("answer:");
        let answers = posts
            .iter()
            .filter(|post| post.key.as_ref().is_some_and(|key| is_answer(key.as_str())));
        answers.map(|post| post.text.clone()).collect()
    }

    /// Returns the prompts that reached the agent, with their ids.
    pub(crate) fn prompts(&self) -> Vec<(MessageId, String)> {
        self.agent.prompts.clone()
    }

    pub(crate) fn prompt_texts(&self) -> Vec<String> {
        self.agent.prompts.iter().map(|(_, text)| text.clone()).collect()
    }
}

//! The durable state: what the records of the journal add up to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::action::{Body, Reply};
use super::ids::{AskId, ChannelId, Key, MessageId, PostId, SessionId, Time, UserId};
use super::input::{FileSeen, Request};
use super::record::{Place, Record, Slot};

/// How long handled posts are remembered after the position of their channel has passed them.
/// The server's order of posts is that of their times, which can differ from that of arrival.
pub(super) const HANDLED_OVERLAP: u64 = 10 * 60 * 1000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub started: Option<Time>,
    pub positions: BTreeMap<ChannelId, Time>,
    pub handled: BTreeMap<PostId, Handled>,
    pub refused: BTreeMap<UserId, Time>,
    pub starts: BTreeMap<PostId, Start>,
    pub threads: BTreeMap<SessionId, Thread>,
    /// The session of each root post.
    pub roots: BTreeMap<PostId, SessionId>,
    /// Prompts that are not answered.
    pub prompts: BTreeMap<PostId, Prompt>,
    /// Posts that can still change or are not known to exist.
    pub posts: BTreeMap<Key, Planned>,
    pub asks: BTreeMap<AskId, Ask>,
    /// The number of the next prompt or post.
    pub next: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handled {
    pub channel: ChannelId,
    pub created: Time,
    /// The hash of the text that the agent was given.
    pub hash: Option<u64>,
}

/// A session that is to be created for a post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    pub channel: ChannelId,
    pub user: UserId,
    pub directory: String,
    pub title: String,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub at: Time,
}

/// A session and its thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    pub session: SessionId,
    pub directory: String,
    pub title: String,
    pub channel: ChannelId,
    /// `None` until the root post is created.
    pub root: Option<PostId>,
    pub owner: UserId,
    pub created: Time,
    /// Earlier messages of the session are not posted.
    pub baseline: Time,
    pub status: ThreadStatus,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub is_muted: bool,
    pub invited: BTreeSet<UserId>,
    /// The turns whose answers are not yet whole in the thread, by the id of the user message.
    pub turns: BTreeMap<MessageId, Turn>,
    /// The last turn whose answer is in the thread.
    pub closed: Option<MessageId>,
    /// When the thread was last complete.
    pub seen: Time,
}

/// A prompt and the messages that answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The instance of OpenCode that answers.
    pub instance: String,
    /// Whether the prompt is a post of the thread.
    pub is_from_thread: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThreadStatus {
    Open,
    /// The session is archived.
    Archived,
    /// The session was deleted.
    Deleted,
    /// The thread was deleted.
    Lost,
    /// The bot is not in the channel.
    Away,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The root of the thread.
    pub root: PostId,
    /// `None` is a prompt from this machine; the thread does not have its text.
    pub user: Option<UserId>,
    pub body: Body,
    pub files: Vec<FileSeen>,
    pub at: Time,
    /// Its place in the queue.
    pub number: u64,
    /// How often it was sent before, at the wish of a user.
    pub retries: u32,
    pub state: PromptState,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PromptState {
    Waiting,
    Sending { message: MessageId, instance: String, at: Time },
    Accepted { message: MessageId, instance: String },
    Doubtful,
}

/// A post of the bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    pub slot: Slot,
    pub place: Place,
    /// Its place among the posts of the thread.
    pub number: u64,
    pub post: Option<PostId>,
    pub is_gone: bool,
}

/// A permission or question that is shown in a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub request: Request,
    pub answer: Option<(Reply, UserId)>,
    /// How it ended.
    pub result: Option<String>,
}

impl Prompt {
    /// Returns the id with which the prompt was sent.
    pub fn message(&self) -> Option<&MessageId> {
        match &self.state {
            PromptState::Sending { message, .. } | PromptState::Accepted { message, .. } => {
                Some(message)
            }
            PromptState::Waiting | PromptState::Doubtful => None,
        }
    }
}

impl Planned {
    /// Returns the key of the lane that posts it: one for each thread.
    pub fn lane(&self) -> Key {
        match &self.place.root {
            Some(root) => Key::from(root.as_str()),
            None => self.slot.key(),
        }
    }

    /// Returns whether a lane posts it.
    pub fn is_in(&self, lane: &Key) -> bool {
        match &self.place.root {
            Some(root) => root.as_str() == lane.as_str(),
            None => self.slot.key() == *lane,
        }
    }
}

impl State {
    /// Builds the state that the records of a journal describe.
    pub fn from_records<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.apply(record);
        }
        state
    }

    /// Changes the state. Nothing else does.
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Started { at } => self.started = Some(*at),
            Record::Position { channel, at } => self.move_position(channel, *at),
            Record::Handled { post, channel, created, hash } => {
                let handled = Handled { channel: channel.clone(), created: *created, hash: *hash };
                self.handled.insert(post.clone(), handled);
            }
            Record::Refused { user, at } => {
                self.refused.insert(user.clone(), *at);
            }
            Record::StartRequested { post, start } => {
                self.starts.insert(post.clone(), start.clone());
            }
            Record::StartEnded { post } => {
                self.starts.remove(post);
            }
            Record::Snapshot(state) => *self = (**state).clone(),
            Record::Asked(request) => {
                let ask = Ask { request: request.clone(), answer: None, result: None };
                self.asks.insert(request.id.clone(), ask);
            }
            Record::Answering { id, reply, user } => {
                if let Some(ask) = self.asks.get_mut(id) {
                    ask.answer = Some((reply.clone(), user.clone()));
                }
            }
            Record::AskEnded { id, result } => {
                if let Some(ask) = self.asks.get_mut(id) {
                    ask.result = Some(result.clone());
                }
            }
            record => {
                self.apply_to_thread(record);
                self.apply_to_prompt(record);
                self.apply_to_post(record);
            }
        }
    }

    fn move_position(&mut self, channel: &ChannelId, at: Time) {
        let position = self.positions.entry(channel.clone()).or_default();
        *position = at.max(*position);
        let oldest = position.minus(HANDLED_OVERLAP);
        self.handled.retain(|_, one| one.channel != *channel || one.created >= oldest);
    }

    fn apply_to_thread(&mut self, record: &Record) {
        let (Record::Titled { session, .. }
        | Record::ThreadStatus { session, .. }
        | Record::ModelSet { session, .. }
        | Record::AgentSet { session, .. }
        | Record::Muted { session, .. }
        | Record::Invited { session, .. }
        | Record::Kicked { session, .. }
        | Record::TurnOpened { session, .. }
        | Record::TurnClosed { session, .. }) = record
        else {
            if let Record::ThreadOpened(thread) = record {
                self.open_thread(thread);
            }
            return;
        };
        let Some(thread) = self.threads.get_mut(session) else { return };
        match record {
            Record::Titled { title, .. } => thread.title.clone_from(title),
            Record::ThreadStatus { status, .. } => thread.status = *status,
            Record::ModelSet { model, .. } => thread.model.clone_from(model),
            Record::AgentSet { agent, .. } => thread.agent.clone_from(agent),
            Record::Muted { is_muted, .. } => thread.is_muted = *is_muted,
            Record::Invited { user, .. } => {
                thread.invited.insert(user.clone());
            }
            Record::Kicked { user, .. } => {
                thread.invited.remove(user);
            }
            Record::TurnOpened { id, turn, .. } => {
                thread.turns.insert(id.clone(), turn.clone());
            }
            Record::TurnClosed { id, at, .. } => {
                thread.turns.remove(id);
                thread.seen = *at;
                thread.closed = thread.closed.take().max(Some(id.clone()));
                self.posts.retain(|_, post| post.slot.turn().is_none_or(|of| of != (session, id)));
            }
            _ => {}
        }
    }

    fn open_thread(&mut self, thread: &Thread) {
        if let Some(root) = &thread.root {
            self.roots.insert(root.clone(), thread.session.clone());
            self.starts.remove(root);
        }
        self.threads.insert(thread.session.clone(), thread.clone());
    }

    fn apply_to_prompt(&mut self, record: &Record) {
        match record {
            Record::PromptReceived { post, prompt } => {
                let prompt = Prompt { number: self.next, ..prompt.clone() };
                self.next += 1;
                self.prompts.insert(post.clone(), prompt);
            }
            Record::PromptEnded { post } => {
                self.prompts.remove(post);
            }
            Record::PromptEdited { post, body, hash } => {
                if let Some(handled) = self.handled.get_mut(post) {
                    handled.hash = Some(*hash);
                }
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.body = body.clone();
                }
            }
            Record::PromptSending { post, message, instance, at } => {
                let (message, instance) = (message.clone(), instance.clone());
                let state = PromptState::Sending { message, instance, at: *at };
                self.set_prompt_state(post, state);
            }
            Record::PromptAccepted { post } => {
                let Some(prompt) = self.prompts.get_mut(post) else { return };
                if let PromptState::Sending { message, instance, .. } = &prompt.state {
                    let (message, instance) = (message.clone(), instance.clone());
                    prompt.state = PromptState::Accepted { message, instance };
                }
            }
            Record::PromptDoubtful { post } => self.set_prompt_state(post, PromptState::Doubtful),
            Record::PromptRetried { post } => {
                self.set_prompt_state(post, PromptState::Waiting);
                let number = self.next;
                self.next += 1;
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.number = number;
                    prompt.retries += 1;
                }
            }
            _ => {}
        }
    }

    fn set_prompt_state(&mut self, post: &PostId, state: PromptState) {
        if let Some(prompt) = self.prompts.get_mut(post) {
            prompt.state = state;
        }
    }

    fn apply_to_post(&mut self, record: &Record) {
        match record {
            Record::PostPlanned { slot, place } => {
                let (slot, place) = (slot.clone(), place.clone());
                let key = slot.key();
                let planned =
                    Planned { slot, place, number: self.next, post: None, is_gone: false };
                self.next += 1;
                self.posts.insert(key, planned);
            }
            Record::PostCreated { key, post } => self.create_post(key, post),
            Record::PostGone { key } => {
                if let Some(planned) = self.posts.get_mut(key) {
                    planned.is_gone = true;
                }
            }
            Record::PostSettled { key } => {
                self.posts.remove(key);
                self.asks.retain(|id, _| Slot::Ask(id.clone()).key() != *key);
            }
            _ => {}
        }
    }

    fn create_post(&mut self, key: &Key, post: &PostId) {
        let Some(planned) = self.posts.get_mut(key) else { return };
        planned.post = Some(post.clone());
        let is_root = planned.place.root.is_none();
        match &planned.slot {
            Slot::Session(session) if is_root => {
                let session = session.clone();
                planned.place.root = Some(post.clone());
                if let Some(thread) = self.threads.get_mut(&session) {
                    thread.root = Some(post.clone());
                    self.roots.insert(post.clone(), session);
                }
            }
            Slot::Note { .. } => {
                self.posts.remove(key);
            }
            _ => {}
        }
    }
}

//! The durable state: what the records of the journal add up to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ids::{AskId, ChannelId, Key, MessageId, Millis, PostId, SessionId, UserId};
use super::input::{AskReply, AskRequest, Body, FileSeen};
use super::slot::{PostLocation, Slot};

/// How long handled posts are remembered after the position of their channel has passed them.
/// The server's order of posts is that of their times, which can differ from that of arrival.
pub(super) const HANDLED_OVERLAP: u64 = 10 * 60 * 1000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BridgeState {
    pub started: Option<Millis>,
    pub positions: BTreeMap<ChannelId, Millis>,
    pub handled: BTreeMap<PostId, Handled>,
    pub refused: BTreeMap<UserId, Millis>,
    pub starts: BTreeMap<PostId, Start>,
    pub threads: BTreeMap<SessionId, Thread>,
    /// The session of each root post.
    pub roots: BTreeMap<PostId, SessionId>,
    /// Prompts that are not answered.
    pub prompts: BTreeMap<PostId, Prompt>,
    /// Posts that can still change or are not known to exist.
    pub posts: BTreeMap<Key, Planned>,
    pub asks: BTreeMap<AskId, Ask>,
    /// The names of users who were invited, for display.
    #[serde(default)]
    pub names: BTreeMap<UserId, String>,
    /// The number of the next prompt or post.
    pub next: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handled {
    pub channel: ChannelId,
    pub created: Millis,
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
    pub at: Millis,
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
    pub created: Millis,
    /// Earlier messages of the session are not posted.
    pub baseline: Millis,
    pub status: ThreadStatus,
    /// When the status last changed.
    #[serde(default)]
    pub status_at: Millis,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub is_muted: bool,
    pub invited: BTreeSet<UserId>,
    /// The turns whose answers are not yet whole in the thread, by the id of the user message.
    pub turns: BTreeMap<MessageId, Turn>,
    /// The last turn whose answer is in the thread.
    pub closed: Option<MessageId>,
    /// All messages of the session up to this time were looked at.
    pub seen: Millis,
    /// The reviews and checkpoints that its description shows.
    #[serde(default)]
    pub links: String,
}

/// A prompt and the messages that answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The instance of OpenCode that answers; empty if it is not known.
    pub instance: String,
    /// Whether the prompt is a post of the thread.
    pub is_from_thread: bool,
    /// Whether a user asked to stop it.
    #[serde(default)]
    pub is_aborted: bool,
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
    /// A user has ended the session in the session map.
    Ended,
}

impl ThreadStatus {
    /// Returns whether nothing is sent to the session any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Deleted | Self::Lost | Self::Ended)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The root of the thread.
    pub root: PostId,
    /// `None` is a prompt from this machine; the thread does not have its text.
    pub user: Option<UserId>,
    pub body: Body,
    pub files: Vec<FileSeen>,
    pub at: Millis,
    /// Its place in the queue.
    pub number: u64,
    /// How often it was sent before because a user asked.
    pub retries: u32,
    /// When it last became doubtful. Earlier reactions mean something else.
    #[serde(default)]
    pub doubted: Millis,
    pub state: PromptState,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PromptState {
    Waiting,
    Sending { message: MessageId, instance: String, at: Millis },
    Accepted { message: MessageId, instance: String },
    Doubtful,
}

/// A post of the bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    pub slot: Slot,
    pub place: PostLocation,
    /// Its place among the posts of the thread.
    pub number: u64,
    pub post: Option<PostId>,
    /// When the server created it.
    pub created: Option<Millis>,
    pub is_gone: bool,
}

/// A permission or question that is shown in a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub request: AskRequest,
    pub answer: Option<(AskReply, UserId)>,
    /// Why OpenCode refused the last answer.
    #[serde(default)]
    pub refusal: Option<String>,
    /// How it ended.
    pub result: Option<String>,
    /// Why the chat did not take the whole text. Users can only reject what they do not see.
    #[serde(default)]
    pub hidden: Option<String>,
}

impl Ask {
    /// Returns a request that was not answered.
    pub fn new(request: AskRequest) -> Self {
        Self { request, answer: None, refusal: None, result: None, hidden: None }
    }

    /// Returns whether a user may give this answer.
    pub fn permits(&self, reply: &AskReply) -> bool {
        self.hidden.is_none() || matches!(reply, AskReply::Reject(_))
    }
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

    /// Returns the instance of OpenCode that the prompt was sent to.
    pub fn instance(&self) -> Option<&String> {
        match &self.state {
            PromptState::Sending { instance, .. } | PromptState::Accepted { instance, .. } => {
                Some(instance)
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

//! What the journal holds. Each record is written before the action that depends on it.

use serde::{Deserialize, Serialize};

use super::action::{Body, Reply};
use super::ids::{AskId, ChannelId, Key, MessageId, PartId, PostId, SessionId, Time, UserId};
use super::input::Request;
use super::state::{Prompt, Start, State, Thread, ThreadStatus, Turn};

/// A change of the durable state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// The first start; earlier posts and sessions are not the bridge's concern.
    Started {
        at: Time,
    },
    /// All posts of a channel up to this time are handled.
    Position {
        channel: ChannelId,
        at: Time,
    },
    /// A post is handled. The hash is that of a prompt's text.
    Handled {
        post: PostId,
        channel: ChannelId,
        created: Time,
        hash: Option<u64>,
    },
    /// A user was refused and got an answer.
    Refused {
        user: UserId,
        at: Time,
    },

    StartRequested {
        post: PostId,
        start: Start,
    },
    StartEnded {
        post: PostId,
    },
    ThreadOpened(Box<Thread>),
    Titled {
        session: SessionId,
        title: String,
    },
    ThreadStatus {
        session: SessionId,
        status: ThreadStatus,
    },
    ModelSet {
        session: SessionId,
        model: Option<String>,
    },
    AgentSet {
        session: SessionId,
        agent: Option<String>,
    },
    Muted {
        session: SessionId,
        is_muted: bool,
    },
    Invited {
        session: SessionId,
        user: UserId,
    },
    Kicked {
        session: SessionId,
        user: UserId,
    },

    PromptReceived {
        post: PostId,
        prompt: Prompt,
    },
    PromptEdited {
        post: PostId,
        body: Body,
        hash: u64,
    },
    /// The prompt is about to be sent with this id.
    PromptSending {
        post: PostId,
        message: MessageId,
        instance: String,
        at: Time,
    },
    PromptAccepted {
        post: PostId,
    },
    /// It is not certain that the agent has the prompt, or the prompt was not answered.
    PromptDoubtful {
        post: PostId,
    },
    /// A user asked to send a doubtful prompt again.
    PromptRetried {
        post: PostId,
    },
    /// The prompt was answered, rejected or dropped.
    PromptEnded {
        post: PostId,
    },

    TurnOpened {
        session: SessionId,
        id: MessageId,
        turn: Turn,
    },
    /// The answer is in the thread, whole.
    TurnClosed {
        session: SessionId,
        id: MessageId,
        at: Time,
    },

    /// A post is about to be created.
    PostPlanned {
        slot: Slot,
        place: Place,
    },
    PostCreated {
        key: Key,
        post: PostId,
    },
    /// The post was deleted by a user; it is not created again.
    PostGone {
        key: Key,
    },
    /// The post will not change again.
    PostSettled {
        key: Key,
    },

    Asked(Request),
    Answering {
        id: AskId,
        reply: Reply,
        user: UserId,
    },
    AskEnded {
        id: AskId,
        result: String,
    },

    /// The whole state, at the start of a journal that was made shorter.
    Snapshot(Box<State>),
}

/// Where a post belongs. The root is `None` for the first post of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub channel: ChannelId,
    pub root: Option<PostId>,
    pub at: Time,
}

/// What a post of the bridge shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// The description of a session: the root of its thread, or the first reply to the post that
    /// started it.
    Session(SessionId),
    /// A piece of an answer, from `start` to the start of the next piece.
    Answer {
        session: SessionId,
        turn: MessageId,
        index: usize,
        start: Cut,
    },
    /// The whole output of a tool, as a file.
    Output {
        session: SessionId,
        turn: MessageId,
        part: PartId,
    },
    /// An image that an answer embeds.
    Image {
        session: SessionId,
        turn: MessageId,
        path: String,
    },
    Ask(AskId),
    Note {
        id: String,
        text: String,
    },
}

/// A place in an answer: a byte offset in the text of a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cut {
    pub message: MessageId,
    pub part: PartId,
    pub offset: usize,
}

impl Slot {
    /// Returns the key by which the post is found again.
    pub fn key(&self) -> Key {
        let text = match self {
            Self::Session(session) => format!("session:{session}"),
            Self::Answer { turn, index, .. } => return Self::answer_key(turn, *index),
            Self::Output { part, .. } => format!("output:{part}"),
            Self::Image { turn, path, .. } => format!("image:{turn}:{path}"),
            Self::Ask(id) => format!("ask:{id}"),
            Self::Note { id, .. } => format!("note:{id}"),
        };
        Key::from(text)
    }

    /// Returns the key of a piece of an answer.
    pub fn answer_key(turn: &MessageId, index: usize) -> Key {
        Key::from(format!("answer:{turn}:{index}"))
    }

    /// Returns the turn that the post belongs to.
    pub fn turn(&self) -> Option<(&SessionId, &MessageId)> {
        match self {
            Self::Answer { session, turn, .. }
            | Self::Output { session, turn, .. }
            | Self::Image { session, turn, .. } => Some((session, turn)),
            Self::Session(_) | Self::Ask(_) | Self::Note { .. } => None,
        }
    }
}

//! What the journal holds. Each record is written before the action that depends on it.

use serde::{Deserialize, Serialize};

use super::ids::{AskId, ChannelId, Key, MessageId, PostId, SessionId, Time, UserId};
use super::input::{Body, Reply, Request};
use super::slot::{PostLocation, Slot};
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
    /// The reviews and checkpoints of a session changed.
    Linked {
        session: SessionId,
        links: String,
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
    /// The prompt did not reach the agent and waits again.
    PromptUnsent {
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
    /// A user asked to stop the turn.
    AbortRequested {
        session: SessionId,
        id: MessageId,
    },
    /// The answer is in the thread, whole.
    TurnClosed {
        session: SessionId,
        id: MessageId,
    },
    /// All messages of a session that was changed at this time were looked at.
    Seen {
        session: SessionId,
        at: Time,
    },

    /// A post is about to be created.
    PostPlanned {
        slot: Slot,
        place: PostLocation,
    },
    PostCreated {
        key: Key,
        post: PostId,
        created: Time,
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

//! What the journal holds. Each record is written before the action that depends on it.

use serde::{Deserialize, Serialize};

use super::ids::{AskId, ChannelId, Key, MessageId, Millis, PostId, SessionId, UserId};
use super::input::{AskReply, AskRequest, Body};
use super::slot::{PostLocation, Slot};
use super::state::{BridgeState, Prompt, Start, Thread, ThreadStatus, Turn};

/// A change of the durable state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JournalRecord {
    /// The first start; earlier posts and sessions are not the bridge's concern.
    Started {
        at: Millis,
    },
    /// All posts of a channel up to this time are handled.
    Position {
        channel: ChannelId,
        at: Millis,
    },
    /// A post is handled. The hash is that of a prompt's text.
    Handled {
        post: PostId,
        channel: ChannelId,
        created: Millis,
        hash: Option<u64>,
    },
    /// A user was refused and got an answer.
    Refused {
        user: UserId,
        at: Millis,
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
    /// The session works in another directory.
    Moved {
        session: SessionId,
        directory: String,
    },
    /// The reviews and checkpoints of a session changed.
    Linked {
        session: SessionId,
        links: String,
    },
    ThreadStatus {
        session: SessionId,
        status: ThreadStatus,
        #[serde(default)]
        at: Millis,
    },
    /// A thread that ended long ago is forgotten.
    ThreadForgotten {
        session: SessionId,
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
        #[serde(default)]
        name: String,
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
        at: Millis,
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
        #[serde(default)]
        at: Millis,
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
        at: Millis,
    },

    /// A post is about to be created.
    PostPlanned {
        slot: Slot,
        place: PostLocation,
    },
    PostCreated {
        key: Key,
        post: PostId,
        created: Millis,
    },
    /// The post was deleted by a user; it is not created again.
    PostGone {
        key: Key,
    },
    /// The post will not change again.
    PostSettled {
        key: Key,
    },

    Asked(AskRequest),
    /// The chat did not take the text of a permission or question.
    AskHidden {
        id: AskId,
        reason: String,
    },
    Answering {
        id: AskId,
        reply: AskReply,
        user: UserId,
    },
    /// OpenCode refused the answer; another one can be given.
    AnswerRefused {
        id: AskId,
        reason: String,
    },
    AskEnded {
        id: AskId,
        result: String,
    },

    /// The whole state, at the start of a journal that was made shorter.
    Snapshot(Box<BridgeState>),
}

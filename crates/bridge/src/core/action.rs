//! What the core wants done.

use serde::{Deserialize, Serialize};

use super::files::Attachment;
use super::ids::{AskId, ChannelId, Key, MessageId, Millis, PostId, SessionId, UserId};
use super::input::{AskReply, Body};
use super::record::JournalRecord;

/// An effect.
///
/// All records of one call are written together, so that a crash leaves all or none of them. The
/// entries of the audit log are on disk before the records, and the records before any other action
/// of the call starts.
#[derive(Clone, Debug, PartialEq)]
pub enum BridgeAction {
    Journal(JournalRecord),
    Audit(Audit),
    /// Prints a line for the user of the terminal.
    Warn(String),
    CreatePost {
        key: Key,
        channel: ChannelId,
        root: Option<PostId>,
        text: String,
        file: Option<OutFile>,
    },
    EditPost {
        key: Key,
        channel: ChannelId,
        post: PostId,
        text: String,
    },
    /// Finds the bridge's own posts: in a thread, or without a root in a channel since a time.
    FindPosts {
        lane: Key,
        channel: ChannelId,
        root: Option<PostId>,
        since: Millis,
    },
    AddReaction {
        post: PostId,
        emoji: &'static str,
    },
    RemoveReaction {
        post: PostId,
        emoji: &'static str,
    },
    FetchReactions {
        post: PostId,
    },
    /// Fetches the posts of a channel that were created or changed since a time.
    CatchUp {
        channel: ChannelId,
        since: Millis,
    },
    /// Fetches posts of a channel by their ids.
    FetchPosts {
        channel: ChannelId,
        posts: Vec<PostId>,
    },
    /// Finds out which of these users are deactivated.
    FetchUsers {
        users: Vec<UserId>,
    },
    /// Creates a session with `post` in its metadata.
    CreateSession {
        post: PostId,
        directory: String,
        title: String,
    },
    /// Sends a prompt. A command of OpenCode is answered only when it is done; that it was accepted
    /// is seen by its message.
    Prompt(PromptRequest),
    /// Fetches all sessions, which of them are busy, and what is asked for.
    FetchAgent {
        connection: u64,
    },
    /// Fetches the messages from `since` on, and whether the session is busy, in this order.
    FetchMessages {
        connection: u64,
        session: SessionId,
        directory: String,
        since: Option<MessageId>,
    },
    Abort {
        session: SessionId,
        directory: String,
    },
    /// Makes the history of a session shorter, as a post asked.
    Compact {
        post: PostId,
        session: SessionId,
        directory: String,
        model: Option<String>,
    },
    Reply {
        id: AskId,
        session: SessionId,
        directory: String,
        reply: AskReply,
    },
    Query {
        post: PostId,
        query: CommandQuery,
    },
    /// Describes the reviews and checkpoints of a directory.
    FetchLinks {
        directory: String,
        sessions: Vec<SessionId>,
    },
    SetMapping(ThreadMapping),
    TouchMapping {
        session: SessionId,
        at: Millis,
    },
    EndMapping {
        session: SessionId,
        status: MappingStatus,
    },
}

/// A file that is attached to a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutFile {
    Text {
        name: String,
        content: String,
    },
    /// A file below the session's directory. The runner checks links and the size.
    Disk {
        directory: String,
        path: String,
        max_bytes: u64,
    },
}

/// The text of a post, and the file that is attached to it.
pub(super) struct Content {
    pub(super) text: String,
    pub(super) file: Option<OutFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptRequest {
    pub post: PostId,
    pub session: SessionId,
    pub directory: String,
    pub message: MessageId,
    pub body: Body,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub files: Vec<Attachment>,
}

/// What a command wants to know, or have done before it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandQuery {
    Sessions,
    Models {
        directory: String,
    },
    Agents {
        directory: String,
    },
    Diff {
        session: SessionId,
        directory: String,
    },
    Todos {
        session: SessionId,
        directory: String,
    },
    Reviews {
        directory: String,
    },
    User {
        name: String,
    },
    /// Ends the archiving of a session.
    Unarchive {
        session: SessionId,
        directory: String,
    },
}

/// An entry of the session map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadMapping {
    pub session: SessionId,
    pub root: PostId,
    /// `ses_` and the last six characters of the id.
    pub short_id: String,
    pub user: UserId,
    pub channel: ChannelId,
    pub project: String,
    pub directory: String,
    pub title: String,
    pub created: Millis,
    pub active: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingStatus {
    Active,
    Ended,
    Disconnected,
    Orphaned,
}

/// Something that is asked of the agent, written before it is sent, or what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    pub at: Millis,
    pub user: Option<UserId>,
    pub session: Option<SessionId>,
    pub what: String,
    pub result: String,
}

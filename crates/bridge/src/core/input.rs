//! What the core is given: events of both servers and results of its actions.

use serde::{Deserialize, Serialize};

use super::ids::{
    AskId, ChannelId, FileId, Key, MessageId, Millis, PartId, PostId, SessionId, UserId,
};

/// Something that happened. Events are hints: they can be lost, repeated and reordered.
#[derive(Clone, Debug)]
pub enum Input {
    Chat(ChatEvent),
    Agent(AgentEvent),
    Outcome(Outcome),
    Local(LocalRequest),
    /// Another program has ended a session in the session map.
    SessionEnded(SessionId),
    /// The time that [`next_wakeup`](super::Core::next_wakeup) returned has come.
    Wake,
}

#[derive(Clone, Debug)]
pub enum ChatEvent {
    /// The connection is open. If it is not `complete`, events were lost since the last one; the
    /// channels are known only then.
    Connected {
        complete: bool,
        channels: Vec<ChannelSeen>,
    },
    Disconnected,
    /// Events were lost. [`Self::Connected`] follows when the channels are known.
    Missed,
    Posted(Post),
    Edited(Post),
    Deleted(Post),
    Reacted(Reaction),
    /// The bot was removed from a channel.
    Removed(ChannelId),
    UserDeactivated(UserId),
}

/// A channel that the bot is a member of.
#[derive(Clone, Debug)]
pub struct ChannelSeen {
    pub channel: ChannelId,
    pub last_post_at: Millis,
}

#[derive(Clone, Debug)]
pub struct Post {
    pub id: PostId,
    pub channel: ChannelId,
    /// Whether the channel is a direct one.
    pub is_direct: bool,
    pub root: Option<PostId>,
    pub user: UserId,
    /// Whether a bot, a webhook or the server wrote it.
    pub is_automatic: bool,
    pub text: String,
    pub files: Vec<FileSeen>,
    pub created: Millis,
    pub is_deleted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeen {
    pub id: FileId,
    pub name: String,
    pub size: u64,
    pub mime: String,
}

/// What a post asks of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    Text(String),
    /// A command of OpenCode.
    Command {
        name: String,
        arguments: String,
    },
}

#[derive(Clone, Debug)]
pub struct Reaction {
    pub post: PostId,
    pub user: UserId,
    pub emoji: String,
    /// By the clock of the chat.
    pub at: Millis,
}

#[derive(Clone, Debug)]
pub enum AgentEvent {
    /// Events arrive from now on. Another `instance` is a server that was started again.
    Connected {
        instance: String,
    },
    Disconnected,
    /// A session was created or changed.
    Session(SessionInfo),
    SessionDeleted(SessionId),
    Message(MessageInfo),
    MessageRemoved {
        session: SessionId,
        message: MessageId,
    },
    Part(MessagePart),
    Delta {
        session: SessionId,
        message: MessageId,
        part: PartId,
        text: String,
    },
    PartRemoved {
        session: SessionId,
        message: MessageId,
        part: PartId,
    },
    Asked(AskRequest),
    /// A permission or question was answered or withdrawn, here or elsewhere.
    AskClosed {
        id: AskId,
        reply: AskReply,
    },
    Status {
        session: SessionId,
        is_busy: bool,
    },
    /// A turn failed. `None` is an abort.
    Error {
        session: SessionId,
        message: Option<String>,
    },
}

#[derive(Clone, Debug)]
pub struct SessionInfo {
    pub id: SessionId,
    pub parent: Option<SessionId>,
    pub directory: String,
    pub title: String,
    pub created: Millis,
    pub updated: Millis,
    pub is_archived: bool,
    /// The post that the bridge wrote into the metadata when it created the session.
    pub origin: Option<PostId>,
}

#[derive(Clone, Debug)]
pub struct MessageInfo {
    pub id: MessageId,
    pub session: SessionId,
    /// The user message that an assistant message answers; `None` is a user message.
    pub parent: Option<MessageId>,
    pub created: Millis,
    pub is_complete: bool,
    /// Whether the agent goes on with another message after this one.
    pub continues: bool,
    pub error: Option<String>,
}

#[derive(Clone, Debug)]
pub struct MessagePart {
    pub id: PartId,
    pub message: MessageId,
    pub session: SessionId,
    pub kind: PartKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    Text {
        text: String,
        is_finished: bool,
    },
    Reasoning {
        text: String,
        is_finished: bool,
    },
    Tool(Tool),
    /// A part that is not shown.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    pub name: String,
    pub state: ToolState,
    /// What it does, on one line: the title, the command or the file.
    pub title: String,
    pub output: String,
    pub error: String,
    pub milliseconds: Option<u64>,
    /// The list that the todo tool writes.
    pub todos: Vec<Todo>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolState {
    #[default]
    Pending,
    Running,
    Completed,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    pub text: String,
    pub state: TodoState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    Open,
    Active,
    Done,
    Cancelled,
}

/// A permission or question of OpenCode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskRequest {
    pub id: AskId,
    pub session: SessionId,
    pub kind: RequestKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestKind {
    Permission {
        /// What is asked for, such as `bash` or `edit`.
        permission: String,
        /// The exact command, or the patterns if there is none.
        command: String,
        diff: Option<String>,
        /// The patterns that *always* would allow.
        always: Vec<String>,
        /// Whether `command` has patterns for a command that is not known.
        #[serde(default)]
        is_partial: bool,
    },
    Questions(Vec<Question>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    pub options: Vec<(String, String)>,
}

/// The answer to a permission or to questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskReply {
    Once,
    Always,
    /// Rejects a permission, with a message for the agent, or a question.
    Reject(Option<String>),
    /// One list of answers for each question.
    Answers(Vec<Vec<String>>),
}

impl AskReply {
    /// Returns whether both answers decide the same. OpenCode does not repeat the reason of a rejection.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reject(_), Self::Reject(_)) => true,
            (one, other) => one == other,
        }
    }
}

/// The result of an action.
#[derive(Clone, Debug)]
pub enum Outcome {
    PostCreated {
        key: Key,
        post: PostId,
        /// The time of the server.
        created: Millis,
    },
    PostFailed {
        key: Key,
        error: ChatError,
    },
    PostEdited {
        key: Key,
    },
    EditFailed {
        key: Key,
        error: ChatError,
    },
    /// The bridge's own posts of a thread, or of a channel if the root post was searched.
    PostsFound {
        lane: Key,
        posts: Vec<OwnPost>,
    },
    FindFailed {
        lane: Key,
        error: ChatError,
    },
    /// Posts after a time, oldest first; also edited and deleted ones.
    CaughtUp {
        channel: ChannelId,
        posts: Vec<Post>,
        /// Whether all edits and deletions are there. New posts always are.
        complete: bool,
    },
    /// Posts that were asked for by their ids.
    PostsFetched {
        channel: ChannelId,
        posts: Vec<Post>,
        /// Those that do not exist any more.
        gone: Vec<PostId>,
    },
    /// The posts of a channel could not be fetched.
    CatchUpFailed {
        channel: ChannelId,
        error: ChatError,
    },
    Reactions {
        reactions: Vec<Reaction>,
    },
    UsersFetched {
        deactivated: Vec<UserId>,
    },
    /// The server did not answer.
    UsersFailed,
    SessionCreated {
        post: PostId,
        session: SessionInfo,
    },
    SessionFailed {
        post: PostId,
        error: AgentError,
    },
    PromptAccepted {
        post: PostId,
    },
    PromptFailed {
        post: PostId,
        error: AgentError,
    },
    /// Files of a post could not be read, so the prompt was sent without them.
    FilesMissing {
        post: PostId,
        session: SessionId,
        files: Vec<MissingFile>,
    },
    AgentFetched {
        connection: u64,
        snapshot: AgentSnapshot,
    },
    AgentFetchFailed,
    MessagesFetched {
        connection: u64,
        session: SessionId,
        is_busy: bool,
        messages: Vec<(MessageInfo, Vec<MessagePart>)>,
    },
    MessagesFailed {
        session: SessionId,
        error: AgentError,
    },
    Replied {
        id: AskId,
    },
    ReplyFailed {
        id: AskId,
        error: AgentError,
    },
    /// The answer to a question of a command, as Markdown, or why there is none.
    Queried {
        post: PostId,
        answer: Result<Answer, AgentError>,
    },
    /// The history of a session could not be made shorter.
    CompactFailed {
        post: PostId,
        session: SessionId,
        error: AgentError,
    },
    /// The reviews and checkpoints of the directory of sessions, in Markdown.
    LinksFetched {
        sessions: Vec<SessionId>,
        text: String,
    },
}

/// A file that was not sent, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFile {
    pub name: String,
    pub reason: String,
}

/// The state of OpenCode at one moment.
#[derive(Clone, Debug, Default)]
pub struct AgentSnapshot {
    /// All sessions, children included.
    pub sessions: Vec<SessionInfo>,
    pub busy: Vec<SessionId>,
    pub asks: Vec<AskRequest>,
}

#[derive(Clone, Debug)]
pub struct OwnPost {
    pub key: Key,
    pub post: PostId,
    pub created: Millis,
    pub text: String,
}

/// What a [`CommandQuery`](super::action::CommandQuery) returned.
#[derive(Clone, Debug)]
pub enum Answer {
    Text(String),
    Names(Vec<String>),
    Sessions(Vec<SessionInfo>),
    User(Option<UserId>),
    Done,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatError {
    /// The post or its thread was deleted, as the server said when it was asked for it.
    Gone,
    /// The bot is not in the channel, as the server said when it was asked for its channels.
    Forbidden,
    /// The server does not show the post, but does not say either that it was deleted.
    Missing,
    /// The server refuses what it should permit. It does so while it cannot read its database.
    Refused(String),
    Rejected(String),
    /// The server answers, but does not take this file for now.
    FileFailed(String),
    /// It is not known whether the request was carried out.
    Unreachable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentError {
    NotFound,
    Rejected(String),
    /// The request was certainly not carried out.
    Undelivered,
    /// It is not known whether the request was carried out.
    Unreachable,
}

/// A request of another program on this machine.
#[derive(Clone, Debug)]
pub enum LocalRequest {
    /// Prompts a session. The id is unique and names the prompt.
    Send { id: PostId, session: SessionId, text: String },
    /// Posts a text into the thread of a session. The id is unique and names the post.
    Say { id: String, session: SessionId, text: String },
}

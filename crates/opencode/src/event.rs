use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Failure, MessageId, OpencodeMessageInfo, OpencodePart, OpencodeSession, OpencodeStatus,
    OpencodeTodo, PartId, Permission, PermissionId, PermissionReply, QuestionId, QuestionRequest,
    SessionId,
};

/// What happened.
///
/// Events are hints: some are sent twice, deltas may precede their part or be lost, and requests that end with
/// an answer that is aborted have no event of their own.
#[derive(Clone, Debug)]
pub enum EventKind {
    SessionCreated(Box<OpencodeSession>),
    SessionUpdated(Box<OpencodeSession>),
    SessionDeleted(Box<OpencodeSession>),
    MessageUpdated(Box<OpencodeMessageInfo>),
    MessageRemoved {
        session_id: SessionId,
        message_id: MessageId,
    },
    /// Replaces what is known of the part.
    PartUpdated(Box<OpencodePart>),
    /// Appends to a field of a part, for example to its text.
    PartDelta(PartDelta),
    PartRemoved {
        session_id: SessionId,
        message_id: MessageId,
        part_id: PartId,
    },
    PermissionAsked(Box<Permission>),
    PermissionReplied {
        session_id: SessionId,
        id: PermissionId,
        reply: PermissionReply,
    },
    QuestionAsked(QuestionRequest),
    QuestionReplied {
        session_id: SessionId,
        id: QuestionId,
        /// One list of answers for each question.
        answers: Vec<Vec<String>>,
    },
    QuestionRejected {
        session_id: SessionId,
        id: QuestionId,
    },
    Status {
        session_id: SessionId,
        status: OpencodeStatus,
    },
    Idle(SessionId),
    Error {
        session_id: Option<SessionId>,
        error: Option<Failure>,
    },
    TodoUpdated {
        session_id: SessionId,
        todos: Vec<OpencodeTodo>,
    },
    Compacted(SessionId),
    /// An event that is not used or has an unknown shape, with its name.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PartDelta {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    #[serde(rename = "partID")]
    pub part_id: PartId,
    pub field: String,
    pub delta: String,
}

impl EventKind {
    /// Reads an event by its name.
    pub(crate) fn parse(name: &str, properties: &Value) -> Self {
        Self::parse_known(name, properties).unwrap_or_else(|| Self::Other(name.to_owned()))
    }

    fn parse_known(name: &str, properties: &Value) -> Option<Self> {
        let info = properties.get("info").unwrap_or(&Value::Null);
        let ids = || read::<Ids>(properties);
        let session = || ids()?.session_id;
        Some(match name {
            "session.created" => Self::SessionCreated(read(info)?),
            "session.updated" => Self::SessionUpdated(read(info)?),
            "session.deleted" => Self::SessionDeleted(read(info)?),
            "session.status" => {
                let status = read(properties.get("status")?)?;
                Self::Status { session_id: session()?, status }
            }
            "session.idle" => Self::Idle(session()?),
            "session.compacted" => Self::Compacted(session()?),
            "session.error" => {
                let error = properties.get("error").and_then(read);
                Self::Error { session_id: session(), error }
            }
            "message.updated" => Self::MessageUpdated(read(info)?),
            "message.removed" => {
                let Ids { session_id, message_id, .. } = ids()?;
                Self::MessageRemoved { session_id: session_id?, message_id: message_id? }
            }
            "message.part.updated" => Self::PartUpdated(read(properties.get("part")?)?),
            "message.part.delta" => Self::PartDelta(read(properties)?),
            "message.part.removed" => {
                let Ids { session_id, message_id, part_id, .. } = ids()?;
                let (session_id, message_id) = (session_id?, message_id?);
                Self::PartRemoved { session_id, message_id, part_id: part_id? }
            }
            "permission.asked" => Self::PermissionAsked(read(properties)?),
            "permission.replied" => {
                let id = PermissionId::new(ids()?.request_id?);
                let reply = read(properties.get("reply")?)?;
                Self::PermissionReplied { session_id: session()?, id, reply }
            }
            "question.asked" => Self::QuestionAsked(read(properties)?),
            "question.replied" => {
                let id = QuestionId::new(ids()?.request_id?);
                let answers = properties.get("answers").and_then(read).unwrap_or_default();
                Self::QuestionReplied { session_id: session()?, id, answers }
            }
            "question.rejected" => {
                let id = QuestionId::new(ids()?.request_id?);
                Self::QuestionRejected { session_id: session()?, id }
            }
            "todo.updated" => {
                let todos = read(properties.get("todos")?)?;
                Self::TodoUpdated { session_id: session()?, todos }
            }
            _ => return None,
        })
    }
}

#[derive(Deserialize)]
struct Ids {
    #[serde(rename = "sessionID")]
    session_id: Option<SessionId>,
    #[serde(rename = "messageID")]
    message_id: Option<MessageId>,
    #[serde(rename = "partID")]
    part_id: Option<PartId>,
    #[serde(rename = "requestID")]
    request_id: Option<String>,
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

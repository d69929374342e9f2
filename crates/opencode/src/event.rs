use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Client, Error, Failure, MessageId, MessageInfo, Part, PartId, Permission, PermissionId,
    PermissionReply, QuestionId, QuestionRequest, Session, SessionId, Status, Todo,
};

/// What happened.
///
/// Events are hints: some are sent twice, deltas may precede their part or be lost, and requests that end with
/// an answer that is aborted have no event of their own.
#[derive(Clone, Debug)]
pub enum EventKind {
    SessionCreated(Box<Session>),
    SessionUpdated(Box<Session>),
    SessionDeleted(Box<Session>),
    MessageUpdated(Box<MessageInfo>),
    MessageRemoved {
        session_id: SessionId,
        message_id: MessageId,
    },
    /// Replaces what is known of the part.
    PartUpdated(Box<Part>),
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
    },
    QuestionRejected {
        session_id: SessionId,
        id: QuestionId,
    },
    Status {
        session_id: SessionId,
        status: Status,
    },
    Idle(SessionId),
    Error {
        session_id: Option<SessionId>,
        error: Option<Failure>,
    },
    TodoUpdated {
        session_id: SessionId,
        todos: Vec<Todo>,
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

/// An event that the server has stored. Deltas, requests and statuses are not stored.
#[derive(Clone, Debug)]
pub struct HistoryEvent {
    pub session_id: SessionId,
    /// Counts the stored events of the session from 0.
    pub sequence: u64,
    pub kind: EventKind,
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
                Self::QuestionReplied { session_id: session()?, id }
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

impl Client {
    /// Returns the stored events of a session after a sequence number, in order.
    ///
    /// The server has no request for one session: it sends all events of all sessions that it is not asked to
    /// leave out, and `others` are those sessions.
    pub async fn history(
        &self,
        directory: &str,
        session: &SessionId,
        after: u64,
        others: &[SessionId],
    ) -> Result<Vec<HistoryEvent>, Error> {
        #[derive(Deserialize)]
        struct Row {
            aggregate_id: SessionId,
            seq: u64,
            #[serde(rename = "type")]
            name: String,
            data: Value,
        }
        let skipped = others.iter().map(|id| (id, u64::from(u32::MAX)));
        let limits: BTreeMap<_, _> = skipped.chain([(session, after)]).collect();
        let call = self.call(Method::POST, &["sync", "history"]).directory(directory);
        let rows: Vec<Row> = call.body(&limits).fetch().await?;
        let rows = rows.into_iter().filter(|row| row.aggregate_id == *session);
        let events = rows.map(|row| {
            // Names end in the version of their shape.
            let name = row.name.rsplit_once('.').map_or(row.name.as_str(), |(name, _)| name);
            let kind = EventKind::parse(name, &row.data);
            HistoryEvent { session_id: row.aggregate_id, sequence: row.seq, kind }
        });
        Ok(events.collect())
    }
}

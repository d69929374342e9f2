use reqwest::Method;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::session::{integer, optional_integer};
use crate::{MessageId, ModelRef, OpencodeClient, OpencodeError, PartId, SessionId};

/// A message with its parts in order. While a text streams, the stored part is still empty.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    pub info: OpencodeMessageInfo,
    pub parts: Vec<OpencodePart>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct OpencodeMessageInfo {
    pub id: MessageId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    pub role: Role,
    pub time: MessageTime,
    /// The prompt that is answered. One prompt may have several answers, one for each step.
    #[serde(rename = "parentID")]
    pub parent_id: Option<MessageId>,
    pub error: Option<Failure>,
    pub agent: Option<String>,
    /// The model of a prompt.
    pub model: Option<ModelRef>,
    /// The model of an answer.
    #[serde(rename = "providerID")]
    pub provider_id: Option<String>,
    #[serde(rename = "modelID")]
    pub model_id: Option<String>,
    #[serde(default)]
    pub cost: f64,
    pub tokens: Option<Tokens>,
    /// Why the model stopped: `tool-calls` if another step follows. Absent in answers that were cut off.
    pub finish: Option<String>,
    /// `true` in an answer that replaces earlier messages.
    #[serde(default)]
    summary: Value,
}

impl OpencodeMessageInfo {
    /// Whether this answer is the summary of a compaction.
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.summary == Value::Bool(true)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    #[serde(other)]
    Other,
}

/// Milliseconds since 1970. An answer without an end is being written, or the server ended before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct MessageTime {
    #[serde(deserialize_with = "integer")]
    pub created: u64,
    #[serde(default, deserialize_with = "optional_integer")]
    pub completed: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Tokens {
    #[serde(deserialize_with = "integer")]
    pub input: u64,
    #[serde(deserialize_with = "integer")]
    pub output: u64,
    #[serde(default, deserialize_with = "integer")]
    pub reasoning: u64,
}

/// An error in a session, for example of the model's provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub name: String,
    pub message: String,
}

impl Failure {
    /// Whether a user ended the answer.
    #[must_use]
    pub fn is_abort(&self) -> bool {
        self.name == "MessageAbortedError"
    }
}

impl<'de> Deserialize<'de> for Failure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = |pointer| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        Ok(Self { name: text("/name").to_owned(), message: text("/data/message").to_owned() })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct OpencodePart {
    pub id: PartId,
    pub session_id: SessionId,
    pub message_id: MessageId,
    pub kind: OpencodePartKind,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum OpencodePartKind {
    Text {
        text: String,
        /// Whether OpenCode added the text to a prompt, for example the content of a file.
        #[serde(default)]
        synthetic: bool,
        time: Option<TimeSpan>,
    },
    Reasoning {
        text: String,
        time: Option<TimeSpan>,
    },
    Tool {
        #[serde(rename = "callID")]
        call_id: String,
        tool: String,
        state: Box<OpencodeToolState>,
    },
    File {
        mime: String,
        filename: Option<String>,
        url: String,
    },
    StepStart,
    StepFinish {
        #[serde(default)]
        cost: f64,
        tokens: Option<Tokens>,
    },
    /// Files that the step changed.
    Patch {
        files: Vec<String>,
    },
    /// Earlier messages are replaced by a summary.
    Compaction,
    /// The model failed and is asked again.
    Retry {
        attempt: u32,
        error: Failure,
    },
    /// A part of an unknown type or shape, with its type.
    #[serde(skip_deserializing)]
    Other(String),
}

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TimeSpan {
    #[serde(deserialize_with = "integer")]
    pub start: u64,
    #[serde(default, deserialize_with = "optional_integer")]
    pub end: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct OpencodeToolState {
    pub status: ToolStatus,
    #[serde(default)]
    pub input: Value,
    pub title: Option<String>,
    /// The result of a tool that has completed.
    pub output: Option<String>,
    /// Why a tool failed; also when its permission was refused.
    pub error: Option<String>,
    /// For example the `output` of a shell that still runs.
    #[serde(default)]
    pub metadata: Value,
    pub time: Option<TimeSpan>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    Pending,
    Running,
    Completed,
    Error,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for OpencodePart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Ids {
            id: PartId,
            #[serde(rename = "sessionID")]
            session_id: SessionId,
            #[serde(rename = "messageID")]
            message_id: MessageId,
            #[serde(rename = "type")]
            name: String,
        }
        let value = Value::deserialize(deserializer)?;
        let ids = Ids::deserialize(&value).map_err(serde::de::Error::custom)?;
        let kind =
            OpencodePartKind::deserialize(value).unwrap_or(OpencodePartKind::Other(ids.name));
        Ok(Self { id: ids.id, session_id: ids.session_id, message_id: ids.message_id, kind })
    }
}

impl OpencodeClient {
    /// Returns a message, or `None` if the session does not have it.
    ///
    /// A prompt is found some time after it was accepted, up to seconds if it is the first one in its directory;
    /// its parts are found a little later than the message.
    pub async fn message(
        &self,
        directory: &str,
        session: &SessionId,
        id: &MessageId,
    ) -> Result<Option<Message>, OpencodeError> {
        let path = ["session", session.as_str(), "message", id.as_str()];
        match self.call(Method::GET, &path).directory(directory).fetch().await {
            Err(OpencodeError::NotFound) => Ok(None),
            result => result.map(Some),
        }
    }

    /// Returns all messages of a session in order.
    pub async fn messages(
        &self,
        directory: &str,
        session: &SessionId,
    ) -> Result<Vec<Message>, OpencodeError> {
        let path = ["session", session.as_str(), "message"];
        self.call(Method::GET, &path).directory(directory).fetch().await
    }
}

use std::collections::BTreeMap;

use reqwest::Method;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value, json};

use crate::prompt::without_nulls;
use crate::{MessageId, ModelRef, OpencodeClient, OpencodeError, SessionId};

/// Number of sessions that are asked for at first. OpenCode has no pages, so a full list is asked for again.
const FIRST_LIMIT: usize = 1000;
const LIMIT_GROWTH: usize = 10;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpencodeSession {
    pub id: SessionId,
    pub title: String,
    pub directory: String,
    /// The session whose agent started this one.
    #[serde(rename = "parentID")]
    pub parent_id: Option<SessionId>,
    pub agent: Option<String>,
    pub model: Option<ModelRef>,
    /// What clients have stored with the session.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    pub time: SessionTime,
    #[serde(default)]
    pub cost: f64,
}

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct SessionTime {
    #[serde(deserialize_with = "integer")]
    pub created: u64,
    #[serde(deserialize_with = "integer")]
    pub updated: u64,
    #[serde(default, deserialize_with = "optional_integer")]
    pub archived: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct NewSession {
    pub title: Option<String>,
    pub agent: Option<String>,
    pub model: Option<ModelRef>,
    pub metadata: Map<String, Value>,
}

/// What changes; `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct SessionUpdate {
    pub title: Option<String>,
    /// Replaces all of the metadata.
    pub metadata: Option<Map<String, Value>>,
    /// When the session was archived, in milliseconds since 1970.
    pub archived: Option<u64>,
}

/// What a session is doing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OpencodeStatus {
    Idle,
    Busy,
    /// The model failed and is asked again.
    Retry {
        attempt: u32,
        message: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpencodeTodo {
    pub content: String,
    /// `pending`, `in_progress`, `completed` or `cancelled`.
    pub status: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpencodeDiff {
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub patch: String,
    #[serde(deserialize_with = "integer")]
    pub additions: u64,
    #[serde(deserialize_with = "integer")]
    pub deletions: u64,
}

impl OpencodeClient {
    /// Lists all sessions of a directory, the last changed first; archived ones too.
    pub async fn sessions(&self, directory: &str) -> Result<Vec<OpencodeSession>, OpencodeError> {
        let mut limit = FIRST_LIMIT;
        loop {
            let call = self.call(Method::GET, &["session"]).directory(directory);
            let sessions: Vec<OpencodeSession> =
                call.query("limit", &limit.to_string()).fetch().await?;
            if sessions.len() < limit {
                return Ok(sessions);
            }
            limit *= LIMIT_GROWTH;
        }
    }

    /// Returns a session of any directory.
    pub async fn session(&self, id: &SessionId) -> Result<OpencodeSession, OpencodeError> {
        self.call(Method::GET, &["session", id.as_str()]).fetch().await
    }

    pub async fn create_session(
        &self,
        directory: &str,
        session: &NewSession,
    ) -> Result<OpencodeSession, OpencodeError> {
        let model = session.model.as_ref().map(|model| {
            let variant = &model.variant;
            let fields = json!({ "providerID": model.provider_id, "id": model.model_id, "variant": variant });
            without_nulls(fields)
        });
        let body = json!({
            "title": session.title,
            "agent": session.agent,
            "model": model,
            "metadata": session.metadata,
        });
        let call = self.call(Method::POST, &["session"]).directory(directory);
        call.body(&without_nulls(body)).fetch().await
    }

    pub async fn update_session(
        &self,
        directory: &str,
        id: &SessionId,
        update: &SessionUpdate,
    ) -> Result<OpencodeSession, OpencodeError> {
        let body = json!({
            "title": update.title,
            "metadata": update.metadata,
            "time": update.archived.map(|archived| json!({ "archived": archived })),
        });
        let call = self.call(Method::PATCH, &["session", id.as_str()]).directory(directory);
        call.body(&without_nulls(body)).fetch().await
    }

    /// Deletes a session and the sessions that its agent started.
    pub async fn delete_session(
        &self,
        directory: &str,
        id: &SessionId,
    ) -> Result<(), OpencodeError> {
        self.call(Method::DELETE, &["session", id.as_str()]).directory(directory).send().await
    }

    /// Copies a session up to the message `before`, or all of it.
    pub async fn fork(
        &self,
        directory: &str,
        id: &SessionId,
        before: Option<&MessageId>,
    ) -> Result<OpencodeSession, OpencodeError> {
        let path = ["session", id.as_str(), "fork"];
        let body = without_nulls(json!({ "messageID": before }));
        self.call(Method::POST, &path).directory(directory).body(&body).fetch().await
    }

    /// Returns what the sessions of a directory are doing; those that are idle may be absent.
    pub async fn statuses(
        &self,
        directory: &str,
    ) -> Result<BTreeMap<SessionId, OpencodeStatus>, OpencodeError> {
        self.call(Method::GET, &["session", "status"]).directory(directory).fetch().await
    }

    /// Returns what the answer to a prompt has changed in files.
    pub async fn diff(
        &self,
        directory: &str,
        id: &SessionId,
        prompt: &MessageId,
    ) -> Result<Vec<OpencodeDiff>, OpencodeError> {
        let call = self.call(Method::GET, &["session", id.as_str(), "diff"]).directory(directory);
        call.query("messageID", prompt.as_str()).fetch().await
    }

    pub async fn todos(
        &self,
        directory: &str,
        id: &SessionId,
    ) -> Result<Vec<OpencodeTodo>, OpencodeError> {
        self.call(Method::GET, &["session", id.as_str(), "todo"]).directory(directory).fetch().await
    }
}

/// Reads a number that JavaScript may have written with a fraction.
pub(crate) fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Number::deserialize(deserializer).map(|number| to_integer(&number))
}

pub(crate) fn optional_integer<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    Ok(number.map(|number| to_integer(&number)))
}

#[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
#[expect(clippy::cast_sign_loss, reason = "the conversion saturates")]
fn to_integer(number: &Number) -> u64 {
    number.as_u64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as u64)
}

//! What OpenCode waits for: permissions, and answers to questions. It forgets open requests when it restarts.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::prompt::without_nulls;
use crate::{MessageId, OpencodeClient, OpencodeError, PermissionId, QuestionId, SessionId};

/// A request to use a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Permission {
    pub id: PermissionId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// What is asked for, like `bash` or `edit`.
    #[serde(rename = "permission")]
    pub name: String,
    /// What exactly, like the command.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// What would be allowed from then on by [`PermissionReply::Always`].
    #[serde(default)]
    pub always: Vec<String>,
    /// For example `command`, or `filepath` and `diff`.
    #[serde(default)]
    pub metadata: Value,
    pub tool: Option<ToolCall>,
}

/// The call of a tool that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolCall {
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    #[serde(rename = "callID")]
    pub call_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PermissionReply {
    Once,
    /// Until the server ends.
    Always,
    Reject,
}

/// Questions that are answered together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct QuestionRequest {
    pub id: QuestionId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    pub questions: Vec<OpencodeQuestion>,
    pub tool: Option<ToolCall>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpencodeQuestion {
    pub question: String,
    #[serde(default)]
    pub header: String,
    #[serde(default)]
    pub options: Vec<QuestionChoice>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multiple: bool,
    /// Whether another text may be answered; absent means yes.
    pub custom: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct QuestionChoice {
    pub label: String,
    #[serde(default)]
    pub description: String,
}

impl OpencodeClient {
    /// Returns the open requests for permission in a directory.
    pub async fn permissions(&self, directory: &str) -> Result<Vec<Permission>, OpencodeError> {
        self.call(Method::GET, &["permission"]).directory(directory).fetch().await
    }

    /// Answers a request. The message is for the model when it is refused.
    ///
    /// A refusal also refuses the other open requests of the session and ends the answer, unless there is a
    /// message. A request that is answered already is [`OpencodeError::NotFound`].
    pub async fn reply_permission(
        &self,
        directory: &str,
        id: &PermissionId,
        reply: PermissionReply,
        message: Option<&str>,
    ) -> Result<(), OpencodeError> {
        let body = without_nulls(json!({ "reply": reply, "message": message }));
        let path = ["permission", id.as_str(), "reply"];
        self.call(Method::POST, &path).directory(directory).body(&body).send().await
    }

    /// Returns the open questions in a directory.
    pub async fn questions(&self, directory: &str) -> Result<Vec<QuestionRequest>, OpencodeError> {
        self.call(Method::GET, &["question"]).directory(directory).fetch().await
    }

    /// Answers questions: for each the chosen labels or another text.
    pub async fn reply_question(
        &self,
        directory: &str,
        id: &QuestionId,
        answers: &[Vec<String>],
    ) -> Result<(), OpencodeError> {
        let path = ["question", id.as_str(), "reply"];
        let call = self.call(Method::POST, &path).directory(directory);
        call.body(&json!({ "answers": answers })).send().await
    }

    /// Refuses to answer questions.
    pub async fn reject_question(
        &self,
        directory: &str,
        id: &QuestionId,
    ) -> Result<(), OpencodeError> {
        let path = ["question", id.as_str(), "reject"];
        self.call(Method::POST, &path).directory(directory).send().await
    }
}

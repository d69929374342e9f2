use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{MessageId, OpencodeClient, OpencodeError, SessionId, part_id};

/// Names a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRef {
    #[serde(rename = "providerID")]
    pub provider_id: String,
    #[serde(rename = "modelID", alias = "id")]
    pub model_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// What is sent to a session. Without model and agent OpenCode takes those of the session.
#[derive(Clone, Debug)]
pub struct OpencodePrompt {
    pub message_id: MessageId,
    pub parts: Vec<PromptPart>,
    pub model: Option<ModelRef>,
    pub agent: Option<String>,
}

#[derive(Clone, Debug)]
pub enum PromptPart {
    Text(String),
    /// The address is a `data:` URL, or `file:` for what the server reads itself.
    File {
        mime: String,
        name: Option<String>,
        url: String,
    },
}

impl OpencodePrompt {
    /// Makes a prompt of one text.
    #[must_use]
    pub fn text(message_id: MessageId, text: impl Into<String>) -> Self {
        let parts = vec![PromptPart::Text(text.into())];
        Self { message_id, parts, model: None, agent: None }
    }

    /// The parts have ids that follow from the message: OpenCode replaces parts whose id it has, and would
    /// otherwise add them again each time a prompt is sent.
    fn parts(&self) -> Vec<Value> {
        let parts = self.parts.iter().enumerate();
        let with_id = parts.map(|(index, part)| (part_id(&self.message_id, index), part));
        with_id.map(|(id, part)| part.to_json(id.as_str())).collect()
    }
}

impl PromptPart {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::File { .. } => None,
        }
    }

    fn to_json(&self, id: &str) -> Value {
        match self {
            Self::Text(text) => json!({ "id": id, "type": "text", "text": text }),
            Self::File { mime, name, url } => without_nulls(
                json!({ "id": id, "type": "file", "mime": mime, "filename": name, "url": url }),
            ),
        }
    }
}

impl OpencodeClient {
    /// Sends a prompt and returns when the server has accepted it, which is before it is stored.
    ///
    /// While an answer is written, the prompt waits. An earlier prompt whose answer has not begun gets none of its
    /// own. A prompt may be sent again as long as it is the last one of its session: a stored one is not doubled,
    /// and one with a complete answer is not answered again.
    pub async fn prompt(
        &self,
        directory: &str,
        session: &SessionId,
        prompt: &OpencodePrompt,
    ) -> Result<(), OpencodeError> {
        let model = prompt.model.as_ref();
        let body = json!({
            "messageID": prompt.message_id,
            "parts": prompt.parts(),
            "model": model.map(|model| json!({ "providerID": model.provider_id, "modelID": model.model_id })),
            "variant": model.and_then(|model| model.variant.as_ref()),
            "agent": prompt.agent,
        });
        let path = ["session", session.as_str(), "prompt_async"];
        self.call(Method::POST, &path).directory(directory).body(&without_nulls(body)).send().await
    }

    /// Runs a command of OpenCode, like `/init`, and returns when it is answered, however long that takes.
    ///
    /// The text of the prompt is what follows the name. Unlike a prompt, a command must not be sent again while OpenCode
    /// may still have it: its text would be in the message twice.
    pub async fn command(
        &self,
        directory: &str,
        session: &SessionId,
        name: &str,
        prompt: &OpencodePrompt,
    ) -> Result<(), OpencodeError> {
        let texts = prompt.parts.iter().filter_map(PromptPart::as_text);
        let is_file = |(_, part): &(Value, &PromptPart)| part.as_text().is_none();
        let files = prompt.parts().into_iter().zip(&prompt.parts).filter(is_file);
        let files: Vec<_> = files.map(|(part, _)| part).collect();
        let model = prompt.model.as_ref();
        let body = json!({
            "messageID": prompt.message_id,
            "command": name,
            "arguments": texts.collect::<Vec<_>>().join("\n\n"),
            "agent": prompt.agent,
            "model": model.map(|model| format!("{}/{}", model.provider_id, model.model_id)),
            "variant": model.and_then(|model| model.variant.as_ref()),
            "parts": (!files.is_empty()).then_some(files),
        });
        let path = ["session", session.as_str(), "command"];
        let call = self.call(Method::POST, &path).directory(directory).body(&without_nulls(body));
        call.without_timeout().send().await
    }

    /// Replaces the earlier messages of a session by a summary that this model writes, and returns afterwards.
    pub async fn summarize(
        &self,
        directory: &str,
        session: &SessionId,
        model: &ModelRef,
    ) -> Result<(), OpencodeError> {
        let body = json!({ "providerID": model.provider_id, "modelID": model.model_id });
        let path = ["session", session.as_str(), "summarize"];
        let call = self.call(Method::POST, &path).directory(directory).body(&body);
        call.without_timeout().send().await
    }

    /// Ends the current answer, and does nothing if there is none.
    pub async fn abort(&self, directory: &str, session: &SessionId) -> Result<(), OpencodeError> {
        let path = ["session", session.as_str(), "abort"];
        self.call(Method::POST, &path).directory(directory).send().await
    }
}

/// Removes the fields of an object that are null, which OpenCode refuses.
pub(crate) fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    value
}

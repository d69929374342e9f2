//! Sends prompts and commands to OpenCode, with the files of their posts.

use std::fmt::Write as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use skein_mattermost as mattermost;
use skein_opencode::{self as opencode, OpencodeClient, OpencodePrompt, PromptPart, SessionId};

use super::Effects;
use super::agent_effects::{AgentFailure, model_ref};
use super::from_agent::agent_error;
use crate::core::action::PromptRequest;
use crate::core::ids::PostId;
use crate::core::input::{AgentError, Body, MissingFile, Outcome};
use crate::core::markdown::code_block;
use crate::core::{Attachment, Delivery, Input};

/// Maximum size of a text file that becomes a part of the prompt: as much as OpenCode reads of a file at once, about 12,000 tokens.
const MAX_INLINE_BYTES: usize = 50 * 1024;

impl Effects {
    pub(super) async fn prompt(&self, request: PromptRequest) -> Outcome {
        let (post, session) = (request.post.clone(), request.session.clone());
        let mut files = Vec::new();
        let sent = self.try_prompt(request, &mut files).await;
        let may_have_arrived = matches!(sent, Ok(()) | Err(AgentError::Unreachable));
        if may_have_arrived && !files.is_empty() {
            let missing = Outcome::FilesMissing { post: post.clone(), session, files };
            // The receiver is gone only when the bridge ends.
            drop(self.results.send(Input::Outcome(missing)));
        }
        match sent {
            Ok(()) => Outcome::PromptAccepted { post },
            Err(error) => Outcome::PromptFailed { post, error },
        }
    }

    /// Sends a prompt without the files that cannot be read, which are added to `missing`. Nothing is sent while
    /// Mattermost cannot be reached for the files.
    async fn try_prompt(
        &self,
        request: PromptRequest,
        missing: &mut Vec<MissingFile>,
    ) -> Result<(), AgentError> {
        let client = self.agent().map_err(|error| self.agent_failure(error))?;
        // It can have been removed or replaced by a link since the session was started.
        let rejected = |reason: &str| AgentError::Rejected(reason.to_owned());
        self.real_directory(&request.directory).map_err(rejected)?;
        let session = SessionId::new(request.session.as_str());
        let (command, text) = match request.body {
            Body::Text(text) => (None, text),
            Body::Command { name, arguments } => (Some(name), arguments),
        };
        let mut parts = Vec::new();
        let mut notes = String::new();
        for attachment in &request.files {
            // OpenCode runs what a command's arguments quote as shell commands, so a file is not among them.
            let may_inline = command.is_none();
            match self.attach(&request.post, attachment, may_inline).await {
                Ok(AttachedFile::Part(part)) => parts.push(part),
                Ok(AttachedFile::Text(text)) => {
                    let (name, block) = (&attachment.name, code_block(&text));
                    write!(notes, "\n\n[Attached file: {name}]\n{block}").expect("text");
                }
                Ok(AttachedFile::Saved(path)) => {
                    write!(notes, "\n\n[Attached file: {}]", path.display()).expect("text");
                }
                Err(AttachError::Unreachable) => return Err(AgentError::Undelivered),
                Err(AttachError::Failed(reason)) => {
                    let name = &attachment.name;
                    write!(notes, "\n\n[The file {name} could not be attached: {reason}]")
                        .expect("a string takes every text");
                    missing.push(MissingFile { name: name.clone(), reason });
                }
            }
        }
        parts.insert(0, PromptPart::Text(text + &notes));
        let prompt = OpencodePrompt {
            message_id: opencode::MessageId::new(request.message.as_str()),
            parts,
            model: request.model.as_deref().and_then(model_ref),
            agent: request.agent,
        };
        match command {
            None => {
                let sent = client.prompt(&request.directory, &session, &prompt).await;
                sent.map_err(|error| self.agent_failure(AgentFailure::Call(error)))
            }
            Some(name) => run_command(&client, &request.directory, &session, &name, &prompt).await,
        }
    }

    /// Downloads a file of a post for the agent.
    ///
    /// A short text can be a part of the prompt. The path of a saved file is outside of the session's directory, where the agent needs
    /// a permission for each file.
    async fn attach(
        &self,
        post: &PostId,
        file: &Attachment,
        may_inline: bool,
    ) -> Result<AttachedFile, AttachError> {
        let mut downloaded = self.chat.download(file.file.as_str(), file.max_bytes).await;
        if downloaded.as_ref().is_err_and(mattermost::MattermostError::is_refusal) {
            // The server also refuses files that it has while it cannot read its database.
            if !self.chat.is_healthy().await {
                return Err(AttachError::Unreachable);
            }
            downloaded = self.chat.download(file.file.as_str(), file.max_bytes).await;
        }
        let bytes = match self.note(downloaded) {
            Ok(bytes) => bytes,
            Err(error) if self.may_download_later(&error).await => {
                return Err(AttachError::Unreachable);
            }
            Err(error) => return Err(AttachError::Failed(error.to_string())),
        };
        match &file.delivery {
            Delivery::Part { mime } => {
                let url = format!("data:{mime};base64,{}", STANDARD.encode(&bytes));
                let name = Some(file.name.clone());
                Ok(AttachedFile::Part(PromptPart::File { mime: mime.clone(), name, url }))
            }
            Delivery::Saved => {
                if may_inline && let Some(text) = short_text(&bytes) {
                    return Ok(AttachedFile::Text(text.to_owned()));
                }
                let saved = self.files.save(post.as_str(), &file.name, &bytes);
                saved
                    .map(AttachedFile::Saved)
                    .map_err(|error| AttachError::Failed(error.to_string()))
            }
        }
    }
}

/// Why a file cannot be attached.
enum AttachError {
    /// Mattermost cannot be reached: the file may be there later.
    Unreachable,
    Failed(String),
}

enum AttachedFile {
    Part(PromptPart),
    Text(String),
    Saved(PathBuf),
}

/// Returns a file as a text, if it is one and not too long for a prompt.
fn short_text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() > MAX_INLINE_BYTES || bytes.contains(&0) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// Runs a command of OpenCode. Returns when it is answered; that it was accepted is seen earlier, by its message.
async fn run_command(
    client: &OpencodeClient,
    directory: &str,
    session: &SessionId,
    name: &str,
    prompt: &OpencodePrompt,
) -> Result<(), AgentError> {
    // OpenCode does not say why it refuses a command.
    let known = client.commands(directory).await.map_err(|error| match agent_error(&error) {
        AgentError::Unreachable => AgentError::Undelivered,
        error => error,
    })?;
    if !known.iter().any(|command| command.name == name) {
        return Err(AgentError::Rejected(format!("it has no command /{name}")));
    }
    match client.command(directory, session, name, prompt).await {
        Ok(()) => Ok(()),
        // A command that was started can fail later. Then OpenCode has its message.
        Err(error @ opencode::OpencodeError::Rejected { .. }) => {
            match client.message(directory, session, &prompt.message_id).await {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err(AgentError::Rejected(error.to_string())),
                Err(_) => Err(AgentError::Unreachable),
            }
        }
        Err(error) => Err(agent_error(&error)),
    }
}

#[cfg(test)]
mod tests;

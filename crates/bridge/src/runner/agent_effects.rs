//! Carries out the actions that concern OpenCode.

use std::fmt::Write as _;

use serde_json::json;
use skein_opencode::{
    self as opencode, ModelRef, NewSession, PermissionId, PermissionReply, QuestionId, Role,
    SessionUpdate,
};

use super::Effects;
use super::from_agent::{
    POST_NAME, agent_error, is_busy, message_info, part, question_request, session_info,
    todo_state, whole_permission,
};
use super::from_chat::PROPS_NAME;
use crate::core::action::CommandQuery;
use crate::core::ids::{AskId, MessageId, PostId, SessionId};
use crate::core::input::{AgentError, AgentSnapshot, Answer, AskReply, ChatError, Outcome, Todo};
use crate::core::markdown::todo_line;
use crate::directory_threads::open_reviews;

/// Maximum length of a diff.
const MAX_DIFF_BYTES: usize = 1_000_000;

impl Effects {
    pub(super) async fn create_session(
        &self,
        post: PostId,
        directory: String,
        title: String,
    ) -> Outcome {
        let directory = match self.real_directory(&directory) {
            Ok(real) => real.display().to_string(),
            Err(reason) => {
                let error = AgentError::Rejected(reason.to_owned());
                return Outcome::SessionFailed { post, error };
            }
        };
        let own = json!({ POST_NAME: post.as_str() });
        let session = NewSession {
            title: Some(title).filter(|title| !title.is_empty()),
            metadata: [(PROPS_NAME.to_owned(), own)].into_iter().collect(),
            ..NewSession::default()
        };
        let created = async { Ok(self.agent()?.create_session(&directory, &session).await?) };
        match created.await {
            Ok(session) => Outcome::SessionCreated { post, session: session_info(session) },
            Err(error) => Outcome::SessionFailed { post, error: self.agent_failure(error) },
        }
    }

    pub(super) async fn fetch_agent(&self, connection: u64) -> Outcome {
        match self.try_fetch_agent().await {
            Ok(snapshot) => Outcome::AgentFetched { connection, snapshot },
            Err(error) => {
                tracing::debug!("the state of OpenCode could not be read: {error}");
                Outcome::AgentFetchFailed
            }
        }
    }

    async fn try_fetch_agent(&self) -> Result<AgentSnapshot, AgentFailure> {
        let client = self.agent()?;
        let mut snapshot = AgentSnapshot::default();
        for directory in self.directories() {
            let sessions = client.sessions(&directory).await?;
            snapshot.sessions.extend(sessions.into_iter().map(session_info));
            let busy = client.statuses(&directory).await?.into_iter();
            let busy = busy.filter(|(_, status)| is_busy(status));
            snapshot.busy.extend(busy.map(|(id, _)| SessionId::from(id.as_str())));
            for permission in client.permissions(&directory).await? {
                let request = whole_permission(Some(&client), Some(&directory), &permission).await;
                snapshot.asks.push(request);
            }
            let questions = client.questions(&directory).await?;
            snapshot.asks.extend(questions.into_iter().map(question_request));
        }
        snapshot.sessions.sort_by(|a, b| a.id.cmp(&b.id));
        snapshot.sessions.dedup_by(|a, b| a.id == b.id);
        Ok(snapshot)
    }

    pub(super) async fn fetch_messages(
        &self,
        session: SessionId,
        directory: String,
        since: Option<MessageId>,
        connection: u64,
    ) -> Outcome {
        let id = opencode::SessionId::new(session.as_str());
        let fetched = async {
            let client = self.agent()?;
            let messages = client.messages(&directory, &id).await?;
            let statuses = client.statuses(&directory).await?;
            Ok((messages, statuses.get(&id).is_some_and(is_busy)))
        };
        match fetched.await {
            Ok((messages, is_busy)) => {
                let messages = messages.into_iter().filter_map(|message| {
                    let info = message_info(&message.info)?;
                    Some((info, message.parts.into_iter().map(part).collect()))
                });
                let is_wanted = |id: &MessageId| since.as_ref().is_none_or(|since| id >= since);
                let messages = messages.filter(|(info, _)| is_wanted(&info.id)).collect();
                Outcome::MessagesFetched { session, connection, is_busy, messages }
            }
            Err(error) => Outcome::MessagesFailed { session, error: self.agent_failure(error) },
        }
    }

    pub(super) async fn reply(&self, id: AskId, directory: &str, reply: AskReply) -> Outcome {
        match self.try_reply(&id, directory, reply).await {
            Ok(()) => Outcome::Replied { id },
            Err(error) => Outcome::ReplyFailed { id, error: self.agent_failure(error) },
        }
    }

    async fn try_reply(
        &self,
        id: &AskId,
        directory: &str,
        reply: AskReply,
    ) -> Result<(), AgentFailure> {
        let client = self.agent()?;
        let permission = PermissionId::new(id.as_str());
        let question = QuestionId::new(id.as_str());
        let (word, message) = match reply {
            AskReply::Answers(answers) => {
                return Ok(client.reply_question(directory, &question, &answers).await?);
            }
            AskReply::Reject(_) if id.as_str().starts_with("que_") => {
                return Ok(client.reject_question(directory, &question).await?);
            }
            AskReply::Once => (PermissionReply::Once, None),
            AskReply::Always => (PermissionReply::Always, None),
            AskReply::Reject(message) => (PermissionReply::Reject, message),
        };
        Ok(client.reply_permission(directory, &permission, word, message.as_deref()).await?)
    }

    pub(super) async fn abort(&self, session: &SessionId, directory: &str) {
        let id = opencode::SessionId::new(session.as_str());
        let call = async { Ok::<_, AgentFailure>(self.agent()?.abort(directory, &id).await?) };
        if let Err(error) = call.await {
            tracing::warn!("the answer could not be aborted: {error}");
        }
    }

    pub(super) async fn compact(
        &self,
        session: &SessionId,
        directory: &str,
        model: Option<String>,
    ) -> Result<(), AgentFailure> {
        let id = opencode::SessionId::new(session.as_str());
        let client = self.agent()?;
        let model = match model.as_deref().and_then(model_ref) {
            Some(model) => model,
            None => {
                last_model(&client.messages(directory, &id).await?).ok_or(AgentFailure::NoModel)?
            }
        };
        Ok(client.summarize(directory, &id, &model).await?)
    }

    pub(super) async fn query(&self, post: PostId, query: CommandQuery) -> Outcome {
        let answer = self.try_query(query).await.map_err(|error| self.agent_failure(error));
        Outcome::Queried { post, answer }
    }

    async fn try_query(&self, query: CommandQuery) -> Result<Answer, AgentFailure> {
        let client = || self.agent();
        Ok(match query {
            CommandQuery::User { name } => {
                self.find_user(&name).await.map_err(AgentFailure::Chat)?
            }
            CommandQuery::Reviews { directory } => {
                let text = self.describe(directory, open_reviews).await;
                Answer::Text(text.unwrap_or_default())
            }
            CommandQuery::Sessions => {
                let client = client()?;
                let mut sessions = Vec::new();
                for directory in self.directories() {
                    sessions
                        .extend(client.sessions(&directory).await?.into_iter().map(session_info));
                }
                Answer::Sessions(sessions)
            }
            CommandQuery::Models { directory } => {
                let models = client()?.models(&directory).await?.models.into_iter();
                Answer::Names(
                    models.map(|model| format!("{}/{}", model.provider_id, model.id)).collect(),
                )
            }
            CommandQuery::Agents { directory } => {
                let agents = client()?.agents(&directory).await?.into_iter();
                let agents = agents.filter(opencode::OpencodeAgent::is_selectable);
                Answer::Names(agents.map(|agent| agent.name).collect())
            }
            CommandQuery::Diff { session, directory } => {
                let client = client()?;
                let id = opencode::SessionId::new(session.as_str());
                let messages = client.messages(&directory, &id).await?;
                let last = messages.iter().rfind(|message| message.info.role == Role::User);
                let diffs = match last {
                    Some(last) => client.diff(&directory, &id, &last.info.id).await?,
                    None => Vec::new(),
                };
                Answer::Text(render_diff(&diffs))
            }
            CommandQuery::Todos { session, directory } => {
                let id = opencode::SessionId::new(session.as_str());
                Answer::Text(render_todos(client()?.todos(&directory, &id).await?))
            }
            CommandQuery::Unarchive { session, directory } => {
                let id = opencode::SessionId::new(session.as_str());
                let update = SessionUpdate { archived: Some(0), ..SessionUpdate::default() };
                client()?.update_session(&directory, &id, &update).await?;
                Answer::Done
            }
        })
    }

    pub(super) fn agent_failure(&self, error: AgentFailure) -> AgentError {
        match error {
            AgentFailure::Down => AgentError::Undelivered,
            AgentFailure::NoModel => AgentError::Rejected(error.to_string()),
            AgentFailure::Call(error) => agent_error(&error),
            AgentFailure::Chat(ChatError::Unreachable) => AgentError::Unreachable,
            AgentFailure::Chat(
                ChatError::Rejected(reason)
                | ChatError::Refused(reason)
                | ChatError::FileFailed(reason),
            ) => AgentError::Rejected(reason),
            AgentFailure::Chat(ChatError::Gone | ChatError::Missing | ChatError::Forbidden) => {
                AgentError::NotFound
            }
        }
    }
}

/// Why a call to OpenCode failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum AgentFailure {
    #[error("OpenCode is not running")]
    Down,
    #[error("the session has no answer yet")]
    NoModel,
    #[error(transparent)]
    Call(#[from] opencode::OpencodeError),
    #[error("Mattermost did not answer")]
    Chat(ChatError),
}

/// Reads `provider/model`; the name of a model may have a slash too.
pub(super) fn model_ref(name: &str) -> Option<ModelRef> {
    let (provider, model) = name.split_once('/')?;
    Some(ModelRef { provider_id: provider.to_owned(), model_id: model.to_owned(), variant: None })
}

fn last_model(messages: &[opencode::Message]) -> Option<ModelRef> {
    let used = |message: &opencode::Message| {
        let info = &message.info;
        let (provider, model) = (info.provider_id.clone()?, info.model_id.clone()?);
        Some(ModelRef { provider_id: provider, model_id: model, variant: None })
    };
    messages.iter().rev().find_map(used)
}

/// Returns the patches, of which those that would be too long are only named.
fn render_diff(diffs: &[opencode::OpencodeDiff]) -> String {
    let mut text = String::new();
    for diff in diffs {
        if text.len() + diff.patch.len() <= MAX_DIFF_BYTES {
            text.push_str(diff.patch.trim_end());
            text.push('\n');
        } else {
            let (file, added, removed) = (&diff.file, diff.additions, diff.deletions);
            writeln!(text, "{file}: +{added} -{removed}").expect("a string takes every text");
        }
    }
    text
}

fn render_todos(todos: Vec<opencode::OpencodeTodo>) -> String {
    let lines = todos
        .into_iter()
        .map(|todo| todo_line(&Todo { state: todo_state(&todo.status), text: todo.content }));
    lines.collect::<Vec<_>>().join("\n")
}

//! Translates what OpenCode sends for the core.

use std::time::Duration;

use serde_json::Value;
use skein_opencode::{self as opencode, OpencodeClient, OpencodeStatus, Role, ToolStatus};
use tokio::time::timeout;

use super::from_chat::PROPS_NAME;
use crate::core::ids::{MessageId, Millis, PartId, PostId, SessionId};
use crate::core::input::{
    AgentError, AgentEvent, AskReply, AskRequest, MessageInfo, MessagePart, PartKind, Question,
    RequestKind, SessionInfo, Todo, TodoState, Tool, ToolState,
};

/// The tool that runs commands.
const SHELL: &str = "bash";
/// How long events wait for the command of a permission. It is read from memory, usually in milliseconds.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// The name of the post that started a session, in the session's metadata.
pub(super) const POST_NAME: &str = "post";

/// Returns the event for the core, if it needs it.
pub(super) fn agent_event(kind: opencode::EventKind) -> Option<AgentEvent> {
    use opencode::EventKind;
    Some(match kind {
        EventKind::SessionCreated(session) | EventKind::SessionUpdated(session) => {
            AgentEvent::Session(session_info(*session))
        }
        EventKind::SessionDeleted(session) => AgentEvent::SessionDeleted(id(&session.id)),
        EventKind::MessageUpdated(info) => AgentEvent::Message(message_info(&info)?),
        EventKind::MessageRemoved { session_id, message_id } => {
            let (session, message) = (id(&session_id), MessageId::from(message_id.as_str()));
            AgentEvent::MessageRemoved { session, message }
        }
        EventKind::PartUpdated(found) => AgentEvent::Part(part(*found)),
        EventKind::PartDelta(delta) if delta.field == "text" => AgentEvent::Delta {
            session: id(&delta.session_id),
            message: MessageId::from(delta.message_id.as_str()),
            part: PartId::from(delta.part_id.as_str()),
            text: delta.delta,
        },
        EventKind::PartRemoved { session_id, message_id, part_id } => AgentEvent::PartRemoved {
            session: id(&session_id),
            message: MessageId::from(message_id.as_str()),
            part: PartId::from(part_id.as_str()),
        },
        EventKind::PermissionAsked(permission) => {
            AgentEvent::Asked(permission_request(&permission, None))
        }
        EventKind::PermissionReplied { id, reply, .. } => {
            let reply = match reply {
                opencode::PermissionReply::Once => AskReply::Once,
                opencode::PermissionReply::Always => AskReply::Always,
                opencode::PermissionReply::Reject => AskReply::Reject(None),
            };
            AgentEvent::AskClosed { id: id.as_str().into(), reply }
        }
        EventKind::QuestionAsked(request) => AgentEvent::Asked(question_request(request)),
        EventKind::QuestionReplied { id, answers, .. } => {
            AgentEvent::AskClosed { id: id.as_str().into(), reply: AskReply::Answers(answers) }
        }
        EventKind::QuestionRejected { id, .. } => {
            AgentEvent::AskClosed { id: id.as_str().into(), reply: AskReply::Reject(None) }
        }
        EventKind::Status { session_id, status } => {
            AgentEvent::Status { session: id(&session_id), is_busy: is_busy(&status) }
        }
        EventKind::Idle(session) => AgentEvent::Status { session: id(&session), is_busy: false },
        EventKind::Error { session_id, error } => {
            let message = error.filter(|error| !error.is_abort()).map(|error| describe(&error));
            AgentEvent::Error { session: id(&session_id?), message }
        }
        EventKind::PartDelta(_)
        | EventKind::TodoUpdated { .. }
        | EventKind::Compacted(_)
        | EventKind::Other(_) => return None,
    })
}

pub(super) fn session_info(session: opencode::OpencodeSession) -> SessionInfo {
    let origin = session.metadata.get(PROPS_NAME).and_then(|own| own.get(POST_NAME));
    SessionInfo {
        id: id(&session.id),
        parent: session.parent_id.as_ref().map(id),
        directory: session.directory,
        title: session.title,
        created: Millis(session.time.created),
        updated: Millis(session.time.updated),
        is_archived: session.time.archived.is_some_and(|at| at > 0),
        origin: origin.and_then(Value::as_str).map(PostId::from),
    }
}

/// Returns a message, if it is a prompt or an answer.
pub(super) fn message_info(info: &opencode::OpencodeMessageInfo) -> Option<MessageInfo> {
    let parent = match info.role {
        Role::User => None,
        Role::Assistant => Some(MessageId::from(info.parent_id.as_ref()?.as_str())),
        Role::Other => return None,
    };
    let error = info.error.as_ref().map(|error| match error.is_abort() {
        true => "aborted".to_owned(),
        false => describe(error),
    });
    Some(MessageInfo {
        id: MessageId::from(info.id.as_str()),
        session: id(&info.session_id),
        parent,
        created: Millis(info.time.created),
        is_complete: info.time.completed.is_some(),
        continues: info.finish.as_deref() == Some("tool-calls"),
        error,
    })
}

pub(super) fn part(part: opencode::OpencodePart) -> MessagePart {
    use opencode::OpencodePartKind as Kind;
    let is_finished =
        |time: Option<opencode::TimeSpan>| time.is_some_and(|time| time.end.is_some());
    let kind = match part.kind {
        Kind::Text { text, synthetic: false, time } => {
            PartKind::Text { text, is_finished: is_finished(time) }
        }
        Kind::Reasoning { text, time } => {
            PartKind::Reasoning { text, is_finished: is_finished(time) }
        }
        Kind::Tool { tool, state, .. } => PartKind::Tool(tool_part(tool, &state)),
        _ => PartKind::Other,
    };
    MessagePart {
        id: PartId::from(part.id.as_str()),
        message: MessageId::from(part.message_id.as_str()),
        session: id(&part.session_id),
        kind,
    }
}

fn tool_part(name: String, state: &opencode::OpencodeToolState) -> Tool {
    let input = |key: &str| state.input.get(key).and_then(Value::as_str);
    let named = ["command", "filePath", "path", "pattern", "url", "description"];
    // The exact command says more than the title that the model gave it.
    let title = match name.as_str() {
        "bash" => input("command").or(state.title.as_deref()),
        _ => state.title.as_deref().filter(|title| !title.is_empty()),
    };
    let title = title.or_else(|| named.iter().find_map(|key| input(key))).unwrap_or_default();
    let running = state.metadata.get("output").and_then(Value::as_str);
    let output = state.output.as_deref().or(running).unwrap_or_default();
    let milliseconds = state.time.and_then(|time| Some(time.end?.saturating_sub(time.start)));
    let todos = state.input.get("todos").and_then(Value::as_array).into_iter().flatten();
    Tool {
        title: title.to_owned(),
        output: output.to_owned(),
        error: state.error.clone().unwrap_or_default(),
        milliseconds,
        todos: todos.filter_map(todo).collect(),
        state: match state.status {
            ToolStatus::Running => ToolState::Running,
            ToolStatus::Completed => ToolState::Completed,
            ToolStatus::Error => ToolState::Failed,
            ToolStatus::Pending | ToolStatus::Other => ToolState::Pending,
        },
        name,
    }
}

fn todo(value: &Value) -> Option<Todo> {
    let text = value.get("content")?.as_str()?.to_owned();
    let state = todo_state(value.get("status").and_then(Value::as_str).unwrap_or_default());
    Some(Todo { text, state })
}

pub(super) fn todo_state(word: &str) -> TodoState {
    match word {
        "in_progress" => TodoState::Active,
        "completed" => TodoState::Done,
        "cancelled" => TodoState::Cancelled,
        _ => TodoState::Open,
    }
}

/// Returns a permission; `command` is the command that it is for, if it is known from elsewhere.
pub(super) fn permission_request(
    permission: &opencode::Permission,
    command: Option<&str>,
) -> AskRequest {
    let fact = |key: &str| permission.metadata.get(key).and_then(Value::as_str);
    let exact = fact("command").or(command).or_else(|| fact("filepath"));
    AskRequest {
        id: permission.id.as_str().into(),
        session: id(&permission.session_id),
        kind: RequestKind::Permission {
            permission: permission.name.clone(),
            command: exact.map_or_else(|| permission.patterns.join("\n"), str::to_owned),
            diff: fact("diff").map(str::to_owned),
            always: permission.always.clone(),
            is_partial: permission.name == SHELL && exact.is_none(),
        },
    }
}

/// Returns a permission with its exact command. OpenCode 1.1 has it only in the message that waits for the permission.
pub(super) async fn whole_permission(
    client: Option<&OpencodeClient>,
    directory: Option<&str>,
    permission: &opencode::Permission,
) -> AskRequest {
    let has_command = permission.metadata.get("command").is_some();
    let (Some(client), Some(directory), Some(call)) = (client, directory, &permission.tool) else {
        return permission_request(permission, None);
    };
    if has_command || permission.name != SHELL {
        return permission_request(permission, None);
    }
    let message = client.message(directory, &permission.session_id, &call.message_id);
    let message = timeout(MESSAGE_TIMEOUT, message).await;
    let command = message.ok().and_then(Result::ok).flatten().and_then(|message| {
        message.parts.into_iter().find_map(|part| match part.kind {
            opencode::OpencodePartKind::Tool { call_id, state, .. } if call_id == call.call_id => {
                state.input.get("command").and_then(Value::as_str).map(str::to_owned)
            }
            _ => None,
        })
    });
    permission_request(permission, command.as_deref())
}

pub(super) fn question_request(request: opencode::QuestionRequest) -> AskRequest {
    let questions = request.questions.into_iter().map(|question| {
        let options = question.options.into_iter();
        Question {
            text: question.question,
            options: options.map(|option| (option.label, option.description)).collect(),
        }
    });
    AskRequest {
        id: request.id.as_str().into(),
        session: id(&request.session_id),
        kind: RequestKind::Questions(questions.collect()),
    }
}

pub(super) fn is_busy(status: &OpencodeStatus) -> bool {
    matches!(status, OpencodeStatus::Busy | OpencodeStatus::Retry { .. })
}

pub(super) fn agent_error(error: &opencode::OpencodeError) -> AgentError {
    match error {
        opencode::OpencodeError::NotFound => AgentError::NotFound,
        error if error.is_undelivered() => AgentError::Undelivered,
        error if error.is_temporary() => AgentError::Unreachable,
        error => AgentError::Rejected(error.to_string()),
    }
}

fn describe(error: &opencode::Failure) -> String {
    if error.message.is_empty() { error.name.clone() } else { error.message.clone() }
}

fn id(id: &opencode::SessionId) -> SessionId {
    SessionId::from(id.as_str())
}

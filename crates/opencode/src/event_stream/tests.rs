use serde_json::json;

use super::*;
use crate::{OpencodePartKind, OpencodeStatus, ToolStatus};

fn read(directory: Option<&str>, name: &str, properties: &Value) -> Option<OpencodeEvent> {
    let payload = json!({ "id": "evt_1", "type": name, "properties": properties });
    let envelope = json!({ "directory": directory, "project": "p", "payload": payload });
    parse(envelope.to_string().as_bytes()).unwrap()
}

#[track_caller]
fn kind(name: &str, properties: &Value) -> EventKind {
    match read(Some("/work"), name, properties) {
        Some(OpencodeEvent::Received { directory, kind }) => {
            assert_eq!(directory.as_deref(), Some("/work"));
            kind
        }
        other => panic!("{other:?}"),
    }
}

/// Compares the debug output, to see all fields at once.
#[track_caller]
fn check(name: &str, properties: &Value, expected: &str) {
    assert_eq!(format!("{:?}", kind(name, properties)), expected);
}

#[test]
fn the_begin_is_reported_and_heartbeats_and_copies_are_not() {
    assert!(matches!(read(None, "server.connected", &json!({})), Some(OpencodeEvent::Connected)));
    assert!(read(None, "server.heartbeat", &json!({})).is_none());
    let copy = json!({ "payload": { "type": "sync", "syncEvent": { "seq": 3 }, "id": "evt_1" } });
    assert!(parse(copy.to_string().as_bytes()).unwrap().is_none());
}

#[test]
fn a_session_is_read() {
    let info = json!({
        "id": "ses_1", "slug": "neat-name", "version": "1.18.33", "projectID": "p", "directory": "/work",
        "title": "A title", "cost": 0.5, "time": { "created": 1, "updated": 2, "archived": 3.5 },
        "model": { "id": "one", "providerID": "scripted", "variant": "default" }, "agent": "build",
        "metadata": { "thread": "t1" }, "parentID": "ses_0",
    });
    let properties = json!({ "sessionID": "ses_1", "info": info });
    let EventKind::SessionCreated(session) = kind("session.created", &properties) else {
        panic!("not a session");
    };
    assert_eq!(session.id.as_str(), "ses_1");
    assert_eq!(session.parent_id.unwrap().as_str(), "ses_0");
    assert_eq!(session.metadata["thread"], "t1");
    assert_eq!((session.time.created, session.time.archived), (1, Some(3)));
    let model = session.model.unwrap();
    assert_eq!((model.provider_id.as_str(), model.model_id.as_str()), ("scripted", "one"));
    assert!(matches!(kind("session.updated", &properties), EventKind::SessionUpdated(_)));
    assert!(matches!(kind("session.deleted", &properties), EventKind::SessionDeleted(_)));
}

#[test]
fn prompts_and_answers_are_read() {
    let prompt = json!({ "sessionID": "ses_1", "info": {
        "id": "msg_1", "role": "user", "sessionID": "ses_1", "time": { "created": 1 }, "agent": "build",
        "model": { "providerID": "scripted", "modelID": "one" }, "summary": { "diffs": [] },
    }});
    let EventKind::MessageUpdated(prompt) = kind("message.updated", &prompt) else { panic!() };
    assert_eq!(prompt.role, crate::Role::User);
    assert!(!prompt.is_summary());
    let answer = json!({ "sessionID": "ses_1", "info": {
        "id": "msg_2", "parentID": "msg_1", "role": "assistant", "sessionID": "ses_1", "mode": "build",
        "path": { "cwd": "/work", "root": "/work" }, "cost": 0.1, "summary": true, "finish": "stop",
        "tokens": { "input": 100, "output": 20, "reasoning": 0, "cache": { "read": 0, "write": 0 } },
        "modelID": "one", "providerID": "scripted", "time": { "created": 1, "completed": 2 },
        "error": { "name": "APIError", "data": { "message": "overloaded", "statusCode": 529 } },
    }});
    let EventKind::MessageUpdated(answer) = kind("message.updated", &answer) else { panic!() };
    assert_eq!(answer.parent_id, Some(prompt.id));
    assert_eq!(answer.error.as_ref().unwrap().message, "overloaded");
    assert!(!answer.error.as_ref().unwrap().is_abort());
    assert_eq!((answer.time.completed, answer.tokens.unwrap().input), (Some(2), 100));
    assert!(answer.is_summary());
}

#[track_caller]
fn part(fields: &Value) -> OpencodePartKind {
    let mut part = json!({ "id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1" });
    part.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let event =
        kind("message.part.updated", &json!({ "sessionID": "ses_1", "part": part, "time": 5 }));
    let EventKind::PartUpdated(part) = event else { panic!("{event:?}") };
    assert_eq!((part.id.as_str(), part.message_id.as_str()), ("prt_1", "msg_1"));
    part.kind
}

#[test]
fn parts_are_read() {
    let OpencodePartKind::Text { text, synthetic, time } =
        part(&json!({ "type": "text", "text": "é", "time": { "start": 1 } }))
    else {
        panic!()
    };
    assert_eq!((text.as_str(), synthetic), ("é", false));
    assert_eq!(time.unwrap(), crate::TimeSpan { start: 1, end: None });
    let state = json!({
        "status": "completed", "input": { "command": "ls" }, "output": "a\n", "title": "ls",
        "metadata": { "exit": 0 }, "time": { "start": 1, "end": 2 },
    });
    let tool = json!({ "type": "tool", "callID": "call_1", "tool": "bash", "state": state });
    let OpencodePartKind::Tool { tool, state, .. } = part(&tool) else { panic!() };
    assert_eq!((tool.as_str(), state.status), ("bash", ToolStatus::Completed));
    assert_eq!(state.output.as_deref(), Some("a\n"));
    let file = json!({ "type": "file", "mime": "image/png", "url": "data:image/png;base64,eA==" });
    assert!(matches!(part(&file), OpencodePartKind::File { filename: None, .. }));
    assert_eq!(
        part(&json!({ "type": "step-start", "snapshot": "4b82" })),
        OpencodePartKind::StepStart
    );
    let patch = json!({ "type": "patch", "hash": "4b82", "files": ["/src/a"] });
    assert_eq!(part(&patch), OpencodePartKind::Patch { files: vec!["/src/a".to_owned()] });
    let tokens = json!({ "input": 1, "output": 2, "cache": { "read": 0, "write": 0 } });
    let finish = json!({ "type": "step-finish", "reason": "stop", "cost": 0.25, "tokens": tokens });
    assert!(matches!(part(&finish), OpencodePartKind::StepFinish { cost: 0.25, tokens: Some(_) }));
    assert_eq!(part(&json!({ "type": "compaction", "auto": false })), OpencodePartKind::Compaction);
}

#[test]
fn parts_of_unknown_types_and_shapes_are_kept_by_name() {
    assert_eq!(
        part(&json!({ "type": "hologram" })),
        OpencodePartKind::Other("hologram".to_owned())
    );
    assert_eq!(part(&json!({ "type": "text" })), OpencodePartKind::Other("text".to_owned()));
    let state = json!({ "status": "dreaming", "input": {} });
    let tool = json!({ "type": "tool", "callID": "c", "tool": "bash", "state": state });
    let OpencodePartKind::Tool { state, .. } = part(&tool) else { panic!() };
    assert_eq!(state.status, ToolStatus::Other);
}

#[test]
fn deltas_and_removals_are_read() {
    let ids = json!({
        "sessionID": "ses_1", "messageID": "msg_1", "partID": "prt_1", "field": "text", "delta": "a b",
    });
    check(
        "message.part.delta",
        &ids,
        r#"PartDelta(PartDelta { session_id: SessionId("ses_1"), message_id: MessageId("msg_1"), part_id: PartId("prt_1"), field: "text", delta: "a b" })"#,
    );
    check(
        "message.part.removed",
        &ids,
        r#"PartRemoved { session_id: SessionId("ses_1"), message_id: MessageId("msg_1"), part_id: PartId("prt_1") }"#,
    );
    check(
        "message.removed",
        &ids,
        r#"MessageRemoved { session_id: SessionId("ses_1"), message_id: MessageId("msg_1") }"#,
    );
}

#[test]
fn requests_and_their_replies_are_read() {
    let permission = json!({
        "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["ls -l"],
        "metadata": { "command": "ls -l" }, "always": ["ls *"],
        "tool": { "messageID": "msg_1", "callID": "call_1" },
    });
    let EventKind::PermissionAsked(permission) = kind("permission.asked", &permission) else {
        panic!()
    };
    assert_eq!((permission.name.as_str(), permission.always), ("bash", vec!["ls *".to_owned()]));
    assert_eq!(permission.tool.unwrap().call_id, "call_1");
    check(
        "permission.replied",
        &json!({ "sessionID": "ses_1", "requestID": "per_1", "reply": "always" }),
        r#"PermissionReplied { session_id: SessionId("ses_1"), id: PermissionId("per_1"), reply: Always }"#,
    );
    let options = json!([{ "label": "red", "description": "A colour" }]);
    let questions = json!([{ "question": "Which?", "header": "Colour", "options": options }]);
    let request = json!({ "id": "que_1", "sessionID": "ses_1", "questions": questions });
    let EventKind::QuestionAsked(request) = kind("question.asked", &request) else { panic!() };
    let question = &request.questions[0];
    assert_eq!((question.options[0].label.as_str(), question.multiple), ("red", false));
    let ids = json!({ "sessionID": "ses_1", "requestID": "que_1", "answers": [["red"]] });
    let id = r#"{ session_id: SessionId("ses_1"), id: QuestionId("que_1") }"#;
    let answers = json!({ "sessionID": "ses_1", "requestID": "que_1", "answers": [["red"]] });
    let replied = r#"QuestionReplied { session_id: SessionId("ses_1"), id: QuestionId("que_1"), answers: [["red"]] }"#;
    check("question.replied", &answers, replied);
    check("question.rejected", &ids, &format!("QuestionRejected {id}"));
}

#[test]
fn states_of_sessions_are_read() {
    let status = |status: Value| {
        let event = kind("session.status", &json!({ "sessionID": "ses_1", "status": status }));
        let EventKind::Status { status, .. } = event else { panic!("{event:?}") };
        status
    };
    assert_eq!(status(json!({ "type": "busy" })), OpencodeStatus::Busy);
    assert_eq!(status(json!({ "type": "idle" })), OpencodeStatus::Idle);
    assert_eq!(status(json!({ "type": "asleep", "since": 1 })), OpencodeStatus::Other);
    let retry = json!({ "type": "retry", "attempt": 2, "message": "overloaded", "next": 5 });
    assert_eq!(
        status(retry),
        OpencodeStatus::Retry { attempt: 2, message: "overloaded".to_owned() }
    );
    let session = json!({ "sessionID": "ses_1" });
    check("session.idle", &session, r#"Idle(SessionId("ses_1"))"#);
    check("session.compacted", &session, r#"Compacted(SessionId("ses_1"))"#);
    check("session.error", &json!({}), "Error { session_id: None, error: None }");
    let error = json!({ "name": "MessageAbortedError", "data": { "message": "Aborted" } });
    let event = kind("session.error", &json!({ "sessionID": "ses_1", "error": error }));
    assert!(matches!(event, EventKind::Error { error: Some(error), .. } if error.is_abort()));
    let todos = json!([{ "content": "one", "status": "pending", "priority": "high" }]);
    check(
        "todo.updated",
        &json!({ "sessionID": "ses_1", "todos": todos }),
        r#"TodoUpdated { session_id: SessionId("ses_1"), todos: [OpencodeTodo { content: "one", status: "pending" }] }"#,
    );
}

#[test]
fn unknown_events_and_known_ones_of_another_shape_are_reported_by_name() {
    check("plugin.added", &json!({ "id": "agent" }), r#"Other("plugin.added")"#);
    check("session.created", &json!({ "sessionID": 5 }), r#"Other("session.created")"#);
    check("message.part.delta", &json!(null), r#"Other("message.part.delta")"#);
    assert!(matches!(parse(b"{\"payload\":"), Err(OpencodeError::Protocol(_))));
}

use std::collections::BTreeMap;

use skein_opencode::{
    EventKind, ModelRef, OpencodePartKind, OpencodePrompt, OpencodeStatus, PartId, PromptPart,
    Role, ToolStatus,
};

use super::server::{Server, answer_text, new_message_id, poll, unique_word, wait_for};

/// A picture of one pixel.
const PICTURE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn deltas_and_updates_give_the_same_text() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    let prompt = server.prompt(&session, "LONG 8 1").await;
    let mut deltas = BTreeMap::<PartId, String>::new();
    let mut updates = BTreeMap::<PartId, String>::new();
    let mut is_busy = false;
    wait_for(&mut events, |kind| match kind {
        EventKind::PartDelta(delta) if delta.session_id == session => {
            assert_eq!(delta.field, "text");
            deltas.entry(delta.part_id).or_default().push_str(&delta.delta);
            None
        }
        EventKind::PartUpdated(part) if part.session_id == session => {
            if let OpencodePartKind::Text { text, .. } = part.kind {
                updates.insert(part.id, text);
            }
            None
        }
        EventKind::Status { session_id, status } if session_id == session => {
            is_busy |= status == OpencodeStatus::Busy;
            None
        }
        EventKind::Idle(id) => (id == session).then_some(()),
        _ => None,
    })
    .await;
    assert!(is_busy);
    let messages = server.answered(&session, &prompt).await;
    let text = answer_text(&messages);
    assert!(text.len() >= 8 << 10 && text.contains("```rust\n"));
    assert_eq!(deltas.into_values().collect::<Vec<_>>(), [text.as_str()]);
    // The prompt itself is a part as well.
    assert!(updates.values().any(|update| *update == text));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn reasoning_and_text_are_parts_of_their_own() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let messages = server.ask(&session, "REASON about lamps").await;
    let parts = &messages.last().unwrap().parts;
    let reasoning = parts.iter().find_map(|part| match &part.kind {
        OpencodePartKind::Reasoning { text, time } => {
            Some((text.as_str(), time.unwrap().end.is_some()))
        }
        _ => None,
    });
    assert_eq!(reasoning, Some(("Thinking about about lamps", true)));
    assert_eq!(answer_text(&messages), "echo: about lamps");
    assert!(parts.iter().any(|part| matches!(part.kind, OpencodePartKind::StepFinish { .. })));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn an_answer_is_aborted() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    let prompt = server.prompt(&session, "SLOW 400 50").await;
    let mut written = String::new();
    wait_for(&mut events, |kind| {
        if let EventKind::PartDelta(delta) = kind
            && delta.session_id == session
        {
            written.push_str(&delta.delta);
        }
        written.starts_with("word1 word2 ").then_some(())
    })
    .await;
    let statuses = server.client.statuses(&server.directory).await.unwrap();
    assert_eq!(statuses[&session], OpencodeStatus::Busy);
    server.client.abort(&server.directory, &session).await.unwrap();
    let error = wait_for(&mut events, |kind| match kind {
        EventKind::Error { session_id, error } if session_id.as_ref() == Some(&session) => error,
        _ => None,
    });
    assert!(error.await.is_abort());
    let messages = server.answered(&session, &prompt).await;
    assert!(messages.last().unwrap().info.error.as_ref().unwrap().is_abort());
    assert!(answer_text(&messages).starts_with("word1 word2 "), "what was written is kept");
    poll(|| async {
        let statuses = server.client.statuses(&server.directory).await.unwrap();
        (!statuses.contains_key(&session)).then_some(())
    })
    .await;
    // Without an answer it does nothing.
    server.client.abort(&server.directory, &session).await.unwrap();
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn todos_are_reported() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    server.ask(&session, "TOOL todowrite first thing, second thing").await;
    let todos = wait_for(&mut events, |kind| match kind {
        EventKind::TodoUpdated { session_id, todos } => (session_id == session).then_some(todos),
        _ => None,
    });
    let todos = todos.await;
    assert_eq!(todos, server.client.todos(&server.directory, &session).await.unwrap());
    let todos: Vec<_> = todos.iter().map(|todo| (&*todo.content, &*todo.status)).collect();
    assert_eq!(todos, [("first thing", "in_progress"), ("second thing", "pending")]);
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn an_error_of_the_model_is_part_of_the_answer() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let messages = server.ask(&session, "ERROR 400").await;
    let error = messages.last().unwrap().info.error.clone().unwrap();
    assert_eq!((&*error.name, &*error.message), ("APIError", "scripted error"));

    let mut events = server.follow().await;
    let mut prompt = OpencodePrompt::text(new_message_id("unknown model"), "unknown model");
    let (provider_id, model_id) = ("unknown".to_owned(), "unknown".to_owned());
    prompt.model = Some(ModelRef { provider_id, model_id, variant: None });
    server.client.prompt(&server.directory, &session, &prompt).await.unwrap();
    // It is accepted, and there is no answer.
    let error = wait_for(&mut events, |kind| match kind {
        EventKind::Error { session_id, error } if session_id.as_ref() == Some(&session) => error,
        _ => None,
    });
    assert!(error.await.message.contains("unknown"));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn files_model_and_agent_of_a_prompt_are_used() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let id = new_message_id("files");
    let text = unique_word();
    let mut prompt = OpencodePrompt::text(id.clone(), &text);
    prompt.parts.push(PromptPart::File {
        mime: "image/png".to_owned(),
        name: Some("dot.png".to_owned()),
        url: PICTURE.to_owned(),
    });
    let (provider_id, model_id) = ("scripted".to_owned(), "two".to_owned());
    prompt.model = Some(ModelRef { provider_id, model_id, variant: None });
    prompt.agent = Some("plan".to_owned());
    server.client.prompt(&server.directory, &session, &prompt).await.unwrap();
    let messages = server.answered(&session, &id).await;
    let answer = &messages.last().unwrap().info;
    assert_eq!((answer.role, answer.model_id.as_deref()), (Role::Assistant, Some("two")));
    assert_eq!(answer.agent.as_deref(), Some("plan"));
    let requests = server.model_requests(&text);
    assert_eq!(requests.len(), 1);
    assert!(requests[0].types.contains(&"image_url".to_owned()), "{:?}", requests[0].types);
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_tool_reports_its_states() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    server.ask(&session, "TOOL read README.md").await;
    let mut statuses = Vec::new();
    let state = wait_for(&mut events, |kind| match kind {
        EventKind::PartUpdated(part) if part.session_id == session => match part.kind {
            OpencodePartKind::Tool { state, tool, .. } => {
                assert_eq!(tool, "read");
                statuses.push(state.status);
                (state.status == ToolStatus::Completed).then_some(state)
            }
            _ => None,
        },
        _ => None,
    });
    let state = state.await;
    assert_eq!(statuses[0], ToolStatus::Pending);
    assert!(statuses.contains(&ToolStatus::Running));
    assert!(state.output.unwrap().contains("A project for tests."));
    assert!(state.time.unwrap().end.is_some());
}

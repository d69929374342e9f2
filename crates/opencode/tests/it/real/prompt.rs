use skein_opencode::{OpencodeError, OpencodePrompt, Role, SessionId};

use super::server::{Server, answer_text, new_message_id, poll, unique_word};

async fn found(
    server: &Server,
    session: &SessionId,
    prompt: &OpencodePrompt,
) -> skein_opencode::Message {
    poll(|| async {
        let message = server.client.message(&server.directory, session, &prompt.message_id).await;
        message.unwrap().filter(|message| !message.parts.is_empty())
    })
    .await
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_prompt_is_found_by_its_id_before_and_after_it_is_answered() {
    let server = Server::find();
    let (client, directory) = (&server.client, &server.directory);
    let session = server.create_session().await.id;
    let prompt = OpencodePrompt::text(new_message_id("lookup"), "SLOW 20 50");
    assert!(client.message(directory, &session, &prompt.message_id).await.unwrap().is_none());
    client.prompt(directory, &session, &prompt).await.unwrap();
    let message = found(&server, &session, &prompt).await;
    assert_eq!((message.info.role, message.parts.len()), (Role::User, 1));
    server.answered(&session, &prompt.message_id).await;
    let message = found(&server, &session, &prompt).await;
    assert_eq!(message.parts.len(), 1);
}

/// Sends a prompt twice, the second time after the function returns, and checks that it is answered once.
async fn check_sent_twice(
    text: &str,
    between: impl AsyncFnOnce(&Server, &SessionId, &OpencodePrompt),
) {
    let server = Server::find();
    let session = server.create_session().await.id;
    let word = unique_word();
    let prompt = OpencodePrompt::text(new_message_id(text), format!("{text}\n{word}"));
    server.client.prompt(&server.directory, &session, &prompt).await.unwrap();
    between(&server, &session, &prompt).await;
    server.client.prompt(&server.directory, &session, &prompt).await.unwrap();
    server.answered(&session, &prompt.message_id).await;
    // A prompt that comes later is answered after whatever the repeated one caused.
    let messages = server.ask(&session, "later").await;
    let roles: Vec<_> = messages.iter().map(|message| message.info.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant], "{messages:?}");
    assert_eq!(messages[0].parts.len(), 1);
    assert_eq!(server.model_requests(&word).len(), 1);
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_prompt_that_is_sent_twice_is_one_prompt() {
    check_sent_twice("sent twice at once", async |_, _, _| {}).await;
    check_sent_twice("SLOW 15 40", async |server, session, prompt| {
        found(server, session, prompt).await;
    })
    .await;
    check_sent_twice("sent again after the answer", async |server, session, prompt| {
        server.answered(session, &prompt.message_id).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn prompts_that_are_sent_while_the_session_is_busy_are_answered_in_order() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let first = server.prompt(&session, "SLOW 40 50").await;
    // Before the first answer begins, both would get one answer.
    poll(|| async {
        let messages = server.client.messages(&server.directory, &session).await.unwrap();
        messages.iter().any(|message| message.info.parent_id.as_ref() == Some(&first)).then_some(())
    })
    .await;
    let second = server.prompt(&session, "the second prompt").await;
    let messages = server.answered(&session, &second).await;
    let text = answer_text(&messages);
    assert!(text.ends_with("word40 echo: the second prompt"), "{text}");
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_prompt_for_a_session_that_is_gone_is_refused() {
    let server = Server::find();
    let session = server.create_session().await.id;
    server.client.delete_session(&server.directory, &session).await.unwrap();
    let prompt = OpencodePrompt::text(new_message_id("gone"), "gone");
    let result = server.client.prompt(&server.directory, &session, &prompt).await;
    assert!(matches!(result, Err(OpencodeError::NotFound)), "{result:?}");
}

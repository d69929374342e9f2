use skein_opencode::{
    EventKind, Message, OpencodeError, OpencodeEvents, OpencodePartKind, OpencodeToolState,
    Permission, PermissionReply, QuestionRequest, SessionId, ToolStatus,
};

use super::server::{Server, answer_text, unique_word, wait_for};

async fn asked(events: &mut OpencodeEvents, session: &SessionId) -> Permission {
    *wait_for(events, |kind| match kind {
        EventKind::PermissionAsked(permission) => {
            (permission.session_id == *session).then_some(permission)
        }
        _ => None,
    })
    .await
}

async fn reply(
    server: &Server,
    permission: &Permission,
    reply: PermissionReply,
    message: Option<&str>,
) -> Result<(), OpencodeError> {
    server.client.reply_permission(&server.directory, &permission.id, reply, message).await
}

fn tools(messages: &[Message]) -> Vec<OpencodeToolState> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match &part.kind {
            OpencodePartKind::Tool { state, .. } => Some(OpencodeToolState::clone(state)),
            _ => None,
        })
        .collect()
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_permission_for_once_is_asked_again() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    for _ in 0..2 {
        let prompt = server.prompt(&session, "TOOL bash echo once").await;
        let permission = asked(&mut events, &session).await;
        assert_eq!((&*permission.name, &permission.patterns[0]), ("bash", &"echo once".to_owned()));
        assert_eq!(permission.metadata["command"], "echo once");
        assert_eq!(permission.always, ["echo *"]);
        let open = server.client.permissions(&server.directory).await.unwrap();
        assert!(open.contains(&permission));
        reply(&server, &permission, PermissionReply::Once, None).await.unwrap();
        let again = reply(&server, &permission, PermissionReply::Once, None).await;
        assert!(matches!(again, Err(OpencodeError::NotFound)), "{again:?}");
        wait_for(&mut events, |kind| match kind {
            EventKind::PermissionReplied { id, reply, .. } if id == permission.id => {
                assert_eq!(reply, PermissionReply::Once);
                Some(())
            }
            _ => None,
        })
        .await;
        let messages = server.answered(&session, &prompt).await;
        let tool = tools(&messages).pop().unwrap();
        assert_eq!(tool.status, ToolStatus::Completed);
        assert_eq!(tool.output.as_deref(), Some("once\n"));
    }
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_permission_for_always_is_not_asked_again() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    let word = unique_word();
    let prompt = server.prompt(&session, &format!("TOOL bash {word} one")).await;
    let permission = asked(&mut events, &session).await;
    assert_eq!(permission.always, [format!("{word} *")]);
    reply(&server, &permission, PermissionReply::Always, None).await.unwrap();
    server.answered(&session, &prompt).await;
    let messages = server.ask(&session, &format!("TOOL bash {word} two")).await;
    let tools = tools(&messages);
    assert_eq!(tools.len(), 2);
    for tool in tools {
        assert!(tool.output.unwrap().contains("not found"), "the shell does not know the word");
    }
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_refused_permission_ends_the_answer_unless_a_reason_is_given() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    server.prompt(&session, "TOOL bash date").await;
    let permission = asked(&mut events, &session).await;
    reply(&server, &permission, PermissionReply::Reject, None).await.unwrap();
    wait_for(&mut events, |kind| match kind {
        EventKind::Idle(id) => (id == session).then_some(()),
        _ => None,
    })
    .await;
    let messages = server.client.messages(&server.directory, &session).await.unwrap();
    assert_eq!(tools(&messages)[0].status, ToolStatus::Error);
    assert_eq!(answer_text(&messages), "");

    let prompt = server.prompt(&session, "TOOL bash date").await;
    let permission = asked(&mut events, &session).await;
    let reason = Some("look at the clock");
    reply(&server, &permission, PermissionReply::Reject, reason).await.unwrap();
    let messages = server.answered(&session, &prompt).await;
    assert!(answer_text(&messages).contains("look at the clock"), "{}", answer_text(&messages));
}

async fn question(events: &mut OpencodeEvents, session: &SessionId) -> QuestionRequest {
    wait_for(events, |kind| match kind {
        EventKind::QuestionAsked(request) => (request.session_id == *session).then_some(request),
        _ => None,
    })
    .await
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_question_is_answered() {
    let server = Server::find();
    let (client, directory) = (&server.client, &server.directory);
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    let prompt = server.prompt(&session, "TOOL question Which colour? red, green").await;
    let request = question(&mut events, &session).await;
    let asked = &request.questions[0];
    assert_eq!(asked.question, "Which colour?");
    let labels: Vec<_> = asked.options.iter().map(|option| &*option.label).collect();
    assert_eq!(labels, ["red", "green"]);
    assert!(client.questions(directory).await.unwrap().contains(&request));
    let answers = [vec!["green".to_owned()]];
    client.reply_question(directory, &request.id, &answers).await.unwrap();
    let again = client.reply_question(directory, &request.id, &answers).await;
    assert!(matches!(again, Err(OpencodeError::NotFound)), "{again:?}");
    wait_for(&mut events, |kind| match kind {
        EventKind::QuestionReplied { id, .. } => (id == request.id).then_some(()),
        _ => None,
    })
    .await;
    let messages = server.answered(&session, &prompt).await;
    assert!(answer_text(&messages).contains("green"));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_question_is_refused() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let mut events = server.follow().await;
    server.prompt(&session, "TOOL question Which shape? round, square").await;
    let request = question(&mut events, &session).await;
    server.client.reject_question(&server.directory, &request.id).await.unwrap();
    wait_for(&mut events, |kind| match kind {
        EventKind::QuestionRejected { id, .. } => (id == request.id).then_some(()),
        _ => None,
    })
    .await;
}

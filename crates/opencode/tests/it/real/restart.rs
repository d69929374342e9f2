//! A server that is started, stopped and killed.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use skein_opencode::{
    ChildServer, EventSettings, OpencodeClient, OpencodeError, OpencodeEvent, OpencodePartKind,
    OpencodePrompt, Role,
};

use crate::child::{kill_parent, script};

use super::server::{Server, answered, create_session, new_message_id, poll};

const HEALTH_TIMEOUT: Duration = Duration::from_secs(10);

async fn kill(mut child: ChildServer) {
    let process = Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap();
    kill_process(process, Signal::KILL).unwrap();
    child.wait().await.unwrap();
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_server_is_started_with_a_password_and_stopped() {
    let server = Server::find();
    let home = tempfile::tempdir().unwrap();
    let child = ChildServer::start(&server.command(home.path())).await.unwrap();
    let output = child.output();
    let (_, address) = output.split_once("listening on ").unwrap();
    for password in [None, Some(skein_opencode::Password::new("wrong"))] {
        let client = OpencodeClient::new(address.trim(), password).unwrap();
        let health = client.health(HEALTH_TIMEOUT).await;
        assert!(matches!(health, Err(OpencodeError::Unauthorized)), "{health:?}");
        assert!(matches!(
            client.sessions(&server.directory).await,
            Err(OpencodeError::Unauthorized)
        ));
        let event = client.events(EventSettings::default()).next().await;
        assert!(
            matches!(event, Some(OpencodeEvent::Disconnected(OpencodeError::Unauthorized))),
            "{event:?}"
        );
    }
    let mut events = child.client().events(EventSettings::default());
    assert!(matches!(events.next().await, Some(OpencodeEvent::Connected)));
    assert!(child.client().sessions(&server.directory).await.unwrap().is_empty());
    let client = child.client().clone();
    child.stop().await.unwrap();
    while !matches!(events.next().await.unwrap(), OpencodeEvent::Disconnected(_)) {}
    let gone = client.sessions(&server.directory).await.unwrap_err();
    assert!(gone.is_undelivered(), "{gone:?}");
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn an_answer_is_not_continued_after_the_server_was_killed() {
    let server = Server::find();
    let directory = &server.directory;
    let home = tempfile::tempdir().unwrap();
    let command = server.command(home.path());
    let child = ChildServer::start(&command).await.unwrap();
    let session = create_session(child.client(), directory).await.id;
    let prompt = OpencodePrompt::text(new_message_id("killed"), "SLOW 60 60");
    child.client().prompt(directory, &session, &prompt).await.unwrap();
    poll(|| async {
        let messages = child.client().messages(directory, &session).await.unwrap();
        let parts = messages.get(1).map_or(0, |answer| answer.parts.len());
        (parts > 1).then_some(())
    })
    .await;
    kill(child).await;

    let child = ChildServer::start(&command).await.unwrap();
    let client = child.client();
    let messages = client.messages(directory, &session).await.unwrap();
    assert_eq!(messages.len(), 2);
    let answer = &messages[1];
    assert_eq!((answer.info.time.completed, &answer.info.finish), (None, &None));
    assert!(answer.info.error.is_none());
    let is_empty = |kind: &OpencodePartKind| matches!(kind, OpencodePartKind::Text { text, .. } if text.is_empty());
    assert!(answer.parts.iter().any(|part| is_empty(&part.kind)), "{:?}", answer.parts);
    assert!(client.statuses(directory).await.unwrap().is_empty());

    // The same prompt again is answered, and its text is not doubled.
    client.prompt(directory, &session, &prompt).await.unwrap();
    let messages = answered(client, directory, &session, &prompt.message_id).await;
    let roles: Vec<_> = messages.iter().map(|message| message.info.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Assistant]);
    assert_eq!(messages[0].parts.len(), 1);
    child.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn open_requests_are_forgotten_when_the_server_restarts() {
    let server = Server::find();
    let directory = &server.directory;
    let home = tempfile::tempdir().unwrap();
    let command = server.command(home.path());
    let child = ChildServer::start(&command).await.unwrap();
    let client = child.client();
    for text in ["TOOL bash echo asked", "TOOL question Which? this, that"] {
        let session = create_session(client, directory).await.id;
        client
            .prompt(directory, &session, &OpencodePrompt::text(new_message_id(text), text))
            .await
            .unwrap();
    }
    let permission = poll(|| async { client.permissions(directory).await.unwrap().pop() }).await;
    let question = poll(|| async { client.questions(directory).await.unwrap().pop() }).await;
    child.stop().await.unwrap();

    let child = ChildServer::start(&command).await.unwrap();
    let client = child.client();
    assert!(client.permissions(directory).await.unwrap().is_empty());
    assert!(client.questions(directory).await.unwrap().is_empty());
    let once = skein_opencode::PermissionReply::Once;
    let replied = client.reply_permission(directory, &permission.id, once, None).await;
    assert!(matches!(replied, Err(OpencodeError::NotFound)), "{replied:?}");
    let replied = client.reject_question(directory, &question.id).await;
    assert!(matches!(replied, Err(OpencodeError::NotFound)), "{replied:?}");
    child.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_server_ends_when_the_process_that_started_it_is_killed() {
    let home = tempfile::tempdir().unwrap();
    let command = Server::find().command(home.path());
    let exports = command.environment.iter().map(|(name, value)| {
        format!("export {}='{}'\n", name.to_str().unwrap(), value.to_str().unwrap())
    });
    let (exports, program) = (exports.collect::<String>(), command.program.display());
    let dir = script(&format!("{exports}exec '{program}' \"$@\""));
    kill_parent(&dir.path().join("opencode")).await;
}

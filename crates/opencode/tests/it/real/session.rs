use serde_json::json;
use skein_opencode::{
    EventKind, ModelRef, NewSession, OpencodeError, OpencodePrompt, SessionUpdate,
};

use super::server::{Server, answer_text, new_message_id, poll, unique_word, wait_for};

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_session_is_created_listed_updated_and_deleted() {
    let server = Server::find();
    let (client, directory) = (&server.client, &server.directory);
    let mut events = server.follow().await;
    let metadata = json!({ "thread": "t1" }).as_object().unwrap().clone();
    let title = Some("A title".to_owned());
    let new = NewSession { title, metadata: metadata.clone(), ..NewSession::default() };
    let session = client.create_session(directory, &new).await.unwrap();
    let id = session.id.clone();
    assert_eq!((session.title.as_str(), &session.directory), ("A title", directory));
    wait_for(&mut events, |kind| match kind {
        EventKind::SessionCreated(created) => (created.id == id).then_some(()),
        _ => None,
    })
    .await;
    let listed = client.sessions(directory).await.unwrap();
    let listed = listed.iter().find(|listed| listed.id == id).unwrap();
    assert_eq!(listed.metadata, metadata);

    let update = SessionUpdate {
        title: Some("Another".to_owned()),
        metadata: Some(json!({ "other": 1 }).as_object().unwrap().clone()),
        archived: Some(1_794_919_695_749),
    };
    client.update_session(directory, &id, &update).await.unwrap();
    let session = client.session(&id).await.unwrap();
    assert_eq!(session.title, "Another");
    assert_eq!(json!(session.metadata), json!({ "other": 1 }));
    assert_eq!(session.time.archived, Some(1_794_919_695_749));
    let sessions = client.sessions(directory).await.unwrap();
    assert!(sessions.iter().any(|listed| listed.id == id), "archived ones are listed");

    client.delete_session(directory, &id).await.unwrap();
    wait_for(&mut events, |kind| match kind {
        EventKind::SessionDeleted(deleted) => (deleted.id == id).then_some(()),
        _ => None,
    })
    .await;
    assert!(matches!(client.session(&id).await, Err(OpencodeError::NotFound)));
    assert!(matches!(client.messages(directory, &id).await, Err(OpencodeError::NotFound)));
    assert!(matches!(client.delete_session(directory, &id).await, Err(OpencodeError::NotFound)));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn more_than_a_hundred_sessions_are_listed() {
    let server = Server::find();
    let dir = tempfile::tempdir().unwrap();
    let directory = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let mut created = Vec::new();
    for _ in 0..105 {
        let session = server.client.create_session(&directory, &NewSession::default()).await;
        created.push(session.unwrap().id);
    }
    let sessions = server.client.sessions(&directory).await.unwrap();
    let mut listed: Vec<_> = sessions.into_iter().map(|session| session.id).collect();
    created.sort();
    listed.sort();
    assert_eq!(listed, created);
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn models_agents_and_commands_are_listed() {
    let server = Server::find();
    let models = server.client.models(&server.directory).await.unwrap();
    let names: Vec<_> =
        models.models.iter().map(|model| (&*model.provider_id, &*model.id)).collect();
    assert_eq!(names, [("scripted", "one"), ("scripted", "two")]);
    assert!(models.models[0].variants().any(|variant| variant == "high"));
    assert!(models.default.contains_key("scripted"));
    let agents = server.client.agents(&server.directory).await.unwrap();
    let mut names: Vec<_> =
        agents.iter().filter(|agent| agent.is_selectable()).map(|agent| &*agent.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["build", "plan"]);
    let commands = server.client.commands(&server.directory).await.unwrap();
    assert!(commands.iter().any(|command| command.name == "repeat"));
    assert!(!server.client.health(std::time::Duration::from_secs(10)).await.unwrap().is_empty());
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_session_is_forked_and_compacted() {
    let server = Server::find();
    let (client, directory) = (&server.client, &server.directory);
    let session = server.create_session().await.id;
    server.ask(&session, "first of the original").await;
    let messages = server.ask(&session, "second of the original").await;
    let second = &messages[2].info;
    let fork = client.fork(directory, &session, Some(&second.id)).await.unwrap();
    let copied = client.messages(directory, &fork.id).await.unwrap();
    assert_eq!(copied.len(), 2);
    assert_eq!(answer_text(&copied), "echo: first of the original");
    assert_ne!(copied[0].info.id, messages[0].info.id, "messages of a fork have ids of their own");

    let mut events = server.follow().await;
    let model = second.model.clone().unwrap();
    client.summarize(directory, &session, &model).await.unwrap();
    let compacted = wait_for(&mut events, |kind| match kind {
        EventKind::Compacted(id) => Some(id),
        _ => None,
    });
    assert_eq!(compacted.await, session);
    let messages = client.messages(directory, &session).await.unwrap();
    assert!(messages.iter().any(|message| message.info.is_summary()));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn changes_of_files_are_reported_for_each_prompt() {
    let server = Server::find();
    let session = server.create_session().await.id;
    let file = unique_word();
    let prompt = server.prompt(&session, &format!("TOOL write {file} one two")).await;
    let permission = poll(|| async {
        let permissions = server.client.permissions(&server.directory).await.unwrap();
        permissions.into_iter().find(|permission| permission.session_id == session)
    });
    let permission = permission.await;
    assert_eq!(permission.name, "edit");
    assert!(permission.metadata["diff"].as_str().unwrap().contains("+one two"));
    let reply = skein_opencode::PermissionReply::Once;
    server.client.reply_permission(&server.directory, &permission.id, reply, None).await.unwrap();
    server.answered(&session, &prompt).await;
    let diff = poll(|| async {
        server.client.diff(&server.directory, &session, &prompt).await.unwrap().pop()
    });
    let diff = diff.await;
    assert_eq!((diff.file, diff.additions, diff.deletions), (file, 1, 0));
    assert!(diff.patch.contains("+one two"));
}

#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_command_is_run_by_name_with_a_model_and_an_agent() {
    let server = Server::find();
    let (client, directory) = (&server.client, &server.directory);
    let session = server.create_session().await.id;
    let mut prompt = OpencodePrompt::text(new_message_id("command"), "these words");
    client.command(directory, &session, "repeat", &prompt).await.unwrap();
    let messages = client.messages(directory, &session).await.unwrap();
    assert_eq!(messages[0].info.id, prompt.message_id);
    assert_eq!(answer_text(&messages), "echo: Repeat: these words");

    prompt.message_id = new_message_id("another command");
    let (provider_id, model_id) = ("scripted".to_owned(), "two".to_owned());
    prompt.model = Some(ModelRef { provider_id, model_id, variant: None });
    prompt.agent = Some("plan".to_owned());
    client.command(directory, &session, "repeat", &prompt).await.unwrap();
    let messages = client.messages(directory, &session).await.unwrap();
    let answer = &messages.last().unwrap().info;
    assert_eq!(answer.parent_id.as_ref(), Some(&prompt.message_id));
    assert_eq!(answer.model_id.as_deref(), Some("two"));
    assert_eq!(answer.agent.as_deref(), Some("plan"));

    prompt.message_id = new_message_id("unknown command");
    let unknown = client.command(directory, &session, "unknown", &prompt).await;
    assert!(matches!(unknown, Err(OpencodeError::Rejected { .. })), "{unknown:?}");
    let found = client.message(directory, &session, &prompt.message_id).await.unwrap();
    assert!(found.is_none());
}

/// A bridge that is killed closes its connections.
#[tokio::test]
#[ignore = "needs an OpenCode server; `.ci/long servers` starts one"]
async fn a_command_goes_on_when_its_client_is_gone() {
    let server = Server::find();
    let (client, directory) = (server.client.clone(), server.directory.clone());
    let session = server.create_session().await.id;
    let prompt = OpencodePrompt::text(new_message_id("gone"), "\nSLOW 20 100");
    let call = {
        let (session, prompt) = (session.clone(), prompt.clone());
        tokio::spawn(async move { client.command(&directory, &session, "repeat", &prompt).await })
    };
    poll(|| async {
        let messages = server.client.messages(&server.directory, &session).await.unwrap();
        (messages.len() == 2).then_some(())
    })
    .await;
    call.abort();
    let messages = server.answered(&session, &prompt.message_id).await;
    assert!(answer_text(&messages).contains("word20"), "{messages:?}");
}

//! What is sent, and what becomes of answers.

use serde_json::{Map, json};
use skein_opencode::{
    MessageId, ModelRef, NewSession, OpencodeClient, OpencodeError, OpencodePrompt, OpencodeStatus,
    Password, PermissionId, PermissionReply, PromptPart, QuestionId, SessionId, SessionUpdate,
    part_id,
};
use skein_standin::{CannedReply, StandIn};
use tokio::net::TcpStream;

const DIRECTORY: &str = "/a b";

/// Starts a server that gives the same answer to each request.
async fn start(
    reply: impl Fn() -> CannedReply + Send + Sync + 'static,
) -> (StandIn, OpencodeClient) {
    let server = StandIn::start(move |_| reply()).await;
    let client = OpencodeClient::new(server.address(), None).unwrap();
    (server, client)
}

async fn answering(status: u16, body: &'static str) -> (StandIn, OpencodeClient) {
    start(move || CannedReply::json(status, body)).await
}

/// For tests of what is sent, and for pages of other servers.
async fn answering_unrecorded(status: u16, body: &'static str) -> (StandIn, OpencodeClient) {
    start(move || CannedReply::unrecorded(status, "", body)).await
}

fn session() -> SessionId {
    SessionId::new("ses_1")
}

fn message() -> MessageId {
    MessageId::new("msg_1e98d0585001isONQgWeokxkO7")
}

#[tokio::test]
async fn calls_have_the_paths_of_opencode() {
    let (server, client) = answering_unrecorded(200, "[]").await;
    let (permission, question) = (PermissionId::new("per_1"), QuestionId::new("que_1"));
    client.sessions(DIRECTORY).await.unwrap();
    client.session(&session()).await.unwrap_err();
    client.delete_session(DIRECTORY, &session()).await.unwrap();
    client.message(DIRECTORY, &session(), &message()).await.unwrap_err();
    client.messages(DIRECTORY, &session()).await.unwrap();
    client.statuses(DIRECTORY).await.unwrap_err();
    client.abort(DIRECTORY, &session()).await.unwrap();
    client.diff(DIRECTORY, &session(), &message()).await.unwrap();
    client.todos(DIRECTORY, &session()).await.unwrap();
    client.permissions(DIRECTORY).await.unwrap();
    client.questions(DIRECTORY).await.unwrap();
    client.reject_question(DIRECTORY, &question).await.unwrap();
    client.models(DIRECTORY).await.unwrap_err();
    client.agents(DIRECTORY).await.unwrap();
    client.commands(DIRECTORY).await.unwrap();
    client.reply_permission(DIRECTORY, &permission, PermissionReply::Once, None).await.unwrap();
    let lines: Vec<_> = server.requests().into_iter().map(|request| request.line).collect();
    let expected = [
        "GET /session?directory=%2Fa+b&limit=1000",
        "GET /session/ses_1",
        "DELETE /session/ses_1?directory=%2Fa+b",
        "GET /session/ses_1/message/msg_1e98d0585001isONQgWeokxkO7?directory=%2Fa+b",
        "GET /session/ses_1/message?directory=%2Fa+b",
        "GET /session/status?directory=%2Fa+b",
        "POST /session/ses_1/abort?directory=%2Fa+b",
        "GET /session/ses_1/diff?directory=%2Fa+b&messageID=msg_1e98d0585001isONQgWeokxkO7",
        "GET /session/ses_1/todo?directory=%2Fa+b",
        "GET /permission?directory=%2Fa+b",
        "GET /question?directory=%2Fa+b",
        "POST /question/que_1/reject?directory=%2Fa+b",
        "GET /config/providers?directory=%2Fa+b",
        "GET /agent?directory=%2Fa+b",
        "GET /command?directory=%2Fa+b",
        "POST /permission/per_1/reply?directory=%2Fa+b",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn bodies_leave_out_what_is_not_set() {
    let (server, client) = answering_unrecorded(200, "{}").await;
    let metadata: Map<_, _> = [("thread".to_owned(), json!("t1"))].into_iter().collect();
    let model = ModelRef {
        provider_id: "scripted".to_owned(),
        model_id: "one".to_owned(),
        variant: Some("high".to_owned()),
    };
    let new = NewSession { model: Some(model.clone()), ..NewSession::default() };
    client.create_session(DIRECTORY, &new).await.unwrap_err();
    let update = SessionUpdate { metadata: Some(metadata), ..SessionUpdate::default() };
    client.update_session(DIRECTORY, &session(), &update).await.unwrap_err();
    let archive = SessionUpdate { archived: Some(5), ..SessionUpdate::default() };
    client.update_session(DIRECTORY, &session(), &archive).await.unwrap_err();
    let mut prompt = OpencodePrompt::text(message(), "Hello");
    client.prompt(DIRECTORY, &session(), &prompt).await.unwrap();
    client.command(DIRECTORY, &session(), "init", &prompt).await.unwrap();
    prompt.model = Some(model);
    prompt.parts = vec![PromptPart::File {
        mime: "text/plain".to_owned(),
        name: None,
        url: "data:,x".to_owned(),
    }];
    client.prompt(DIRECTORY, &session(), &prompt).await.unwrap();
    prompt.agent = Some("plan".to_owned());
    client.command(DIRECTORY, &session(), "init", &prompt).await.unwrap();
    client.fork(DIRECTORY, &session(), None).await.unwrap_err();
    let bodies: Vec<_> = server.requests().into_iter().map(|request| request.body).collect();
    let id = part_id(&message(), 0);
    let expected = [
        r#"{"model":{"providerID":"scripted","id":"one","variant":"high"},"metadata":{}}"#
            .to_owned(),
        r#"{"metadata":{"thread":"t1"}}"#.to_owned(),
        r#"{"time":{"archived":5}}"#.to_owned(),
        format!(
            r#"{{"messageID":"{}","parts":[{{"id":"{id}","type":"text","text":"Hello"}}]}}"#,
            message()
        ),
        format!(r#"{{"messageID":"{}","command":"init","arguments":"Hello"}}"#, message()),
        format!(
            r#"{{"messageID":"{}","parts":[{{"id":"{id}","type":"file","mime":"text/plain","url":"data:,x"}}],"model":{{"providerID":"scripted","modelID":"one"}},"variant":"high"}}"#,
            message()
        ),
        format!(
            r#"{{"messageID":"{}","command":"init","arguments":"","agent":"plan","model":"scripted/one","variant":"high","parts":[{{"id":"{id}","type":"file","mime":"text/plain","url":"data:,x"}}]}}"#,
            message()
        ),
        "{}".to_owned(),
    ];
    assert_eq!(bodies, expected);
}

#[tokio::test]
async fn all_sessions_are_listed_however_many_there_are() {
    let server = StandIn::start(|request| {
        let (_, limit) = request.line.rsplit_once("limit=").unwrap();
        let number = limit.parse::<usize>().unwrap().min(2500);
        let session = |number| json!({
            "id": format!("ses_{number}"), "title": "", "directory": "/a", "time": { "created": 1, "updated": 1 },
        });
        let sessions: Vec<_> = (0..number).map(session).collect();
        CannedReply::ok(json!(sessions))
    })
    .await;
    let client = OpencodeClient::new(server.address(), None).unwrap();
    assert_eq!(client.sessions("/a").await.unwrap().len(), 2500);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn statuses_of_sessions_are_read() {
    let (_server, client) = answering(200, r#"{"ses_1":{"type":"busy"}}"#).await;
    assert_eq!(client.statuses("/a").await.unwrap()[&session()], OpencodeStatus::Busy);
}

#[tokio::test]
async fn the_password_is_sent_and_a_wrong_one_is_reported() {
    let (server, _) = answering_unrecorded(401, "").await;
    let client = OpencodeClient::new(server.address(), Some(Password::new("secret"))).unwrap();
    assert!(matches!(client.agents("/a").await, Err(OpencodeError::Unauthorized)));
    let sent = server.requests().remove(0).authorization;
    assert_eq!(sent.as_deref(), Some("Basic b3BlbmNvZGU6c2VjcmV0"));
    assert!(!format!("{client:?}").contains("secret"));
}

#[tokio::test]
async fn a_message_is_missing_only_if_opencode_says_so() {
    let missing = r#"{"name":"NotFoundError","data":{"message":"Message not found"}}"#;
    let (_server, client) = answering(404, missing).await;
    assert!(client.message("/a", &session(), &message()).await.unwrap().is_none());
    let (_server, client) = answering_unrecorded(404, "<html>Not found</html>").await;
    let error = client.message("/a", &session(), &message()).await.unwrap_err();
    assert!(matches!(error, OpencodeError::Rejected { status: 404, .. }), "{error:?}");
}

#[tokio::test]
async fn pages_of_other_servers_are_errors() {
    let (_server, client) = answering_unrecorded(500, "<html>Oops</html>").await;
    let error =
        client.prompt("/a", &session(), &OpencodePrompt::text(message(), "x")).await.unwrap_err();
    assert!(error.is_temporary() && !error.is_undelivered());
    assert_eq!(error.to_string(), "OpenCode refused the request with status 500: no reason given");
    let (_server, client) = answering_unrecorded(200, "<html>Welcome</html>").await;
    assert!(matches!(client.agents("/a").await, Err(OpencodeError::Protocol(_))));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = StandIn::start(|_| CannedReply::ok("[]")).await;
    let location = format!(
        "HTTP/1.1 307 X\r\nlocation: {}/agent\r\ncontent-length: 0\r\n\r\n",
        target.address()
    );
    let server = StandIn::start(move |_| CannedReply::raw(&location)).await;
    let client = OpencodeClient::new(server.address(), Some(Password::new("secret"))).unwrap();
    assert!(matches!(client.agents("/a").await, Err(OpencodeError::Rejected { status: 307, .. })));
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn it_is_known_whether_a_request_was_delivered() {
    let (server, client) = answering(200, "[]").await;
    client.agents("/a").await.unwrap();
    let address = server.address().to_owned();
    drop(server);
    // The listener closes when its task has ended.
    while TcpStream::connect(address.trim_start_matches("http://")).await.is_ok() {}
    // Another client, because a connection that is open may break while the request is being sent.
    let client = OpencodeClient::new(&address, None).unwrap();
    let error = client.agents("/a").await.unwrap_err();
    assert!(error.is_undelivered() && error.is_temporary(), "{error:?}");
    for cut in ["", "HTTP/1.1 200 X\r\n", "HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n[]"] {
        let server = StandIn::start(move |_| CannedReply::raw(cut)).await;
        let client = OpencodeClient::new(server.address(), None).unwrap();
        let error = client.agents("/a").await.unwrap_err();
        assert!(!error.is_undelivered() && error.is_temporary(), "{cut:?}: {error:?}");
    }
}

#[tokio::test]
async fn an_id_cannot_change_the_path() {
    let (server, client) = answering_unrecorded(200, "true").await;
    for id in ["", ".", ".."] {
        let error = client.abort("/a", &SessionId::new(id)).await.unwrap_err();
        assert!(matches!(error, OpencodeError::NotFound), "{id}");
    }
    client.abort("/a", &SessionId::new("a/../b?c#d e")).await.unwrap();
    let lines: Vec<_> = server.requests().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["POST /session/a%2F..%2Fb%3Fc%23d%20e/abort?directory=%2Fa"]);
}

#[test]
fn addresses_are_checked() {
    for address in ["", "localhost:4096", "ftp://127.0.0.1", "http://user:pw@127.0.0.1", "/tmp/x"] {
        assert!(
            matches!(OpencodeClient::new(address, None), Err(OpencodeError::Address(_))),
            "{address}"
        );
    }
    OpencodeClient::new("http://127.0.0.1:4096/base/", None).unwrap();
}

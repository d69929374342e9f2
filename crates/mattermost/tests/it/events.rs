//! A WebSocket that fails.

use std::time::Duration;

use serde_json::json;
use skein_mattermost::{MattermostEvent, MattermostEvents, Timing};
use skein_standin::{CannedReply, ReplyStep, StandIn};

use crate::stand_in::{FAST, client};

fn hello(connection_id: &str) -> ReplyStep {
    event(0, "hello", &json!({"connection_id": connection_id, "server_version": "11.4.0"}))
}

fn edit(seq: u64, id: &str) -> ReplyStep {
    event(seq, "post_edited", &json!({"post": json!({"id": id}).to_string()}))
}

fn event(seq: u64, name: &str, data: &serde_json::Value) -> ReplyStep {
    ReplyStep::Send(json!({"event": name, "data": data, "seq": seq}))
}

/// Starts a server whose WebSockets run these steps, the n-th one the n-th list, and then no more.
async fn sockets(lists: Vec<Vec<ReplyStep>>) -> StandIn {
    let lists = std::sync::Mutex::new(lists.into_iter());
    StandIn::start(move |request| {
        if request.line == "GET /users/me" {
            return CannedReply::ok(r#"{"id": "u1"}"#);
        }
        assert_eq!(request.path(), "GET /websocket");
        match lists.lock().unwrap().next() {
            Some(steps) => CannedReply::socket(steps),
            None => CannedReply::drop(),
        }
    })
    .await
}

/// Returns the next events in short: `+` connected without loss, `-` with loss, `!` disconnected, or the id of an
/// edited post.
async fn next(events: &mut MattermostEvents, count: usize) -> String {
    let mut short = Vec::new();
    while short.len() < count {
        short.push(match events.next().await.expect("the events go on") {
            MattermostEvent::Connected { complete: true } => "+".to_owned(),
            MattermostEvent::Connected { complete: false } => "-".to_owned(),
            MattermostEvent::Disconnected { .. } => "!".to_owned(),
            MattermostEvent::Edited(post) => post.id,
            other => format!("{other:?}"),
        });
    }
    short.join(" ")
}

fn socket_lines(server: &StandIn) -> Vec<String> {
    server.lines().into_iter().filter(|line| line.contains("websocket")).collect()
}

#[tokio::test]
async fn a_dropped_connection_is_resumed_at_the_next_event() {
    let server = sockets(vec![
        vec![hello("x1"), edit(1, "a")],
        vec![ReplyStep::Pong, edit(2, "b"), ReplyStep::Close],
        vec![edit(3, "c"), ReplyStep::Silence],
    ])
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 8).await, "- a ! + b ! + c");
    let expected = [
        "GET /websocket",
        "GET /websocket?connection_id=x1&sequence_number=2",
        "GET /websocket?connection_id=x1&sequence_number=3",
    ];
    assert_eq!(socket_lines(&server), expected);
}

#[tokio::test]
async fn a_late_resume_without_a_hello_is_noticed_by_its_number() {
    let server = sockets(vec![
        vec![hello("x1"), edit(1, "a")],
        vec![event(0, "status_change", &json!({})), edit(1, "b"), ReplyStep::Silence],
    ])
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 5).await, "- a ! - b");
}

#[tokio::test]
async fn a_late_resume_with_a_hello_is_noticed() {
    let server = sockets(vec![
        vec![hello("x1"), edit(1, "a")],
        vec![hello("x2"), edit(1, "b")],
        vec![ReplyStep::Pong, ReplyStep::Silence],
    ])
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 7).await, "- a ! - b ! +");
    assert_eq!(socket_lines(&server)[2], "GET /websocket?connection_id=x2&sequence_number=2");
}

#[tokio::test]
async fn a_connection_that_ends_before_its_hello_is_not_resumed() {
    let server = sockets(vec![vec![], vec![hello("x1"), ReplyStep::Silence]]).await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 2).await, "! -");
    assert_eq!(socket_lines(&server), ["GET /websocket"; 2]);
}

#[tokio::test]
async fn a_connection_that_does_not_answer_pings_is_dropped() {
    let server = sockets(vec![
        vec![hello("x1"), ReplyStep::Pong, ReplyStep::Silence],
        vec![ReplyStep::Pong, ReplyStep::Silence],
    ])
    .await;
    let timing = Timing { ping_interval: Duration::from_millis(200), ..FAST };
    let mut events = MattermostEvents::start(client(&server, timing));
    assert_eq!(next(&mut events, 1).await, "-");
    let reason = "the Mattermost server does not answer".to_owned();
    assert_eq!(events.next().await, Some(MattermostEvent::Disconnected { reason }));
    assert_eq!(next(&mut events, 1).await, "+");
}

#[tokio::test]
async fn garbage_is_a_gap_and_the_connection_goes_on() {
    let server = sockets(vec![vec![
        hello("x1"),
        ReplyStep::SendUnrecorded("<html>"),
        edit(1, "a"),
        ReplyStep::SendBinary,
        ReplyStep::SendUnrecorded(r#"{"event": "posted", "data": {"post": "{"}, "seq": 2}"#),
        edit(3, "b"),
        ReplyStep::Silence,
    ]])
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 6).await, "- - a - - b");
}

#[tokio::test]
async fn a_wrong_token_is_the_last_event() {
    let server = StandIn::start(|request| match request.path() {
        "GET /users/me" => CannedReply::json(401, "{}"),
        _ => CannedReply::ok("{}"),
    })
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(events.next().await, Some(MattermostEvent::Unauthorized));
    assert_eq!(events.next().await, None);
    assert_eq!(server.lines(), ["GET /users/me", "GET /system/ping?get_server_status=true"]);
}

#[tokio::test]
async fn a_token_that_is_revoked_later_is_noticed_by_a_ping() {
    let server = StandIn::start(|request| match (request.line.as_str(), request.earlier) {
        ("GET /users/me", 0) => CannedReply::ok(r#"{"id": "u1"}"#),
        ("GET /users/me", _) => CannedReply::json(401, "{}"),
        ("GET /websocket", _) => {
            CannedReply::socket(vec![hello("x1"), ReplyStep::RefusePing(401), ReplyStep::Silence])
        }
        _ => CannedReply::ok("{}"),
    })
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    assert_eq!(next(&mut events, 2).await, "- !");
    assert_eq!(events.next().await, Some(MattermostEvent::Unauthorized));
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_server_that_is_down_is_tried_again() {
    let server = StandIn::start(|request| match (request.line.as_str(), request.earlier) {
        ("GET /users/me", 0) => CannedReply::drop(),
        ("GET /users/me", 1) => CannedReply::unrecorded(502, "", "Bad gateway"),
        ("GET /users/me", _) => CannedReply::ok(r#"{"id": "u1"}"#),
        (_, 0) => CannedReply::unrecorded(200, "", "not a WebSocket"),
        _ => CannedReply::socket(vec![hello("x1"), ReplyStep::Silence]),
    })
    .await;
    let mut events = MattermostEvents::start(client(&server, FAST));
    let mut reasons = Vec::new();
    while let Some(MattermostEvent::Disconnected { reason }) = events.next().await {
        reasons.push(reason);
    }
    assert!(reasons[0].starts_with("cannot reach the Mattermost server: "), "{}", reasons[0]);
    let expected = [
        "the Mattermost server answered with status 502: Bad gateway",
        "cannot understand the answer of the Mattermost server: it does not open a WebSocket",
    ];
    assert_eq!(reasons[1..], expected);
}

#[tokio::test]
async fn dropping_the_events_closes_the_connection() {
    let (sender, mut closed) = tokio::sync::mpsc::unbounded_channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = sockets(vec![vec![hello("x1"), ReplyStep::Silence]]).await;
    let proxy = crate::proxy::Proxy::start(listener, server.address(), Some(sender));
    let mut events = MattermostEvents::start(proxy.client(crate::stand_in::TOKEN, FAST));
    assert_eq!(next(&mut events, 1).await, "-");
    drop(events);
    // The connection of the request, and that of the WebSocket.
    closed.recv().await.unwrap();
    closed.recv().await.unwrap();
}

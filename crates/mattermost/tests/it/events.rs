//! A WebSocket that fails.

use std::time::Duration;

use serde_json::json;
use skein_mattermost::{Event, Events, Timing};

use crate::stand_in::{FAST, Reply, StandIn, Step, ok};

fn hello(connection_id: &str) -> Step {
    event(0, "hello", &json!({"connection_id": connection_id, "server_version": "11.4.0"}))
}

fn edit(seq: u64, id: &str) -> Step {
    event(seq, "post_edited", &json!({"post": json!({"id": id}).to_string()}))
}

fn event(seq: u64, name: &str, data: &serde_json::Value) -> Step {
    Step::Send(json!({"event": name, "data": data, "broadcast": {}, "seq": seq}).to_string())
}

/// Starts a server whose WebSockets run these steps, the n-th one the n-th list, and then no more.
async fn sockets(lists: Vec<Vec<Step>>) -> StandIn {
    let lists = std::sync::Mutex::new(lists.into_iter());
    StandIn::start(move |line, _| {
        if line == "GET /users/me" {
            return ok(r#"{"id": "u1"}"#);
        }
        assert!(line.starts_with("GET /websocket"), "{line}");
        match lists.lock().unwrap().next() {
            Some(steps) => Reply::Socket(steps),
            None => Reply::Drop,
        }
    })
    .await
}

/// Returns the next events in short: `+` connected without loss, `-` with loss, `!` disconnected, or the id of an
/// edited post.
async fn next(events: &mut Events, count: usize) -> String {
    let mut short = Vec::new();
    while short.len() < count {
        short.push(match events.next().await.expect("the events go on") {
            Event::Connected { complete: true } => "+".to_owned(),
            Event::Connected { complete: false } => "-".to_owned(),
            Event::Disconnected { .. } => "!".to_owned(),
            Event::Edited(post) => post.id,
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
        vec![Step::Pong, edit(2, "b"), Step::Close],
        vec![edit(3, "c"), Step::Silence],
    ])
    .await;
    let mut events = Events::start(server.client(FAST));
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
        vec![event(0, "status_change", &json!({})), edit(1, "b"), Step::Silence],
    ])
    .await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(next(&mut events, 5).await, "- a ! - b");
}

#[tokio::test]
async fn a_late_resume_with_a_hello_is_noticed() {
    let server = sockets(vec![
        vec![hello("x1"), edit(1, "a")],
        vec![hello("x2"), edit(1, "b")],
        vec![Step::Pong, Step::Silence],
    ])
    .await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(next(&mut events, 7).await, "- a ! - b ! +");
    assert_eq!(socket_lines(&server)[2], "GET /websocket?connection_id=x2&sequence_number=2");
}

#[tokio::test]
async fn a_connection_that_ends_before_its_hello_is_not_resumed() {
    let server = sockets(vec![vec![], vec![hello("x1"), Step::Silence]]).await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(next(&mut events, 2).await, "! -");
    assert_eq!(socket_lines(&server), ["GET /websocket"; 2]);
}

#[tokio::test]
async fn a_connection_that_does_not_answer_pings_is_dropped() {
    let server = sockets(vec![
        vec![hello("x1"), Step::Pong, Step::Silence],
        vec![Step::Pong, Step::Silence],
    ])
    .await;
    let timing = Timing { ping_interval: Duration::from_millis(200), ..FAST };
    let mut events = Events::start(server.client(timing));
    assert_eq!(next(&mut events, 1).await, "-");
    let reason = "the Mattermost server does not answer".to_owned();
    assert_eq!(events.next().await, Some(Event::Disconnected { reason }));
    assert_eq!(next(&mut events, 1).await, "+");
}

#[tokio::test]
async fn garbage_is_a_gap_and_the_connection_goes_on() {
    let server = sockets(vec![vec![
        hello("x1"),
        Step::Send("<html>".into()),
        edit(1, "a"),
        Step::SendBinary,
        event(2, "posted", &json!({"post": "{"})),
        edit(3, "b"),
        Step::Silence,
    ]])
    .await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(next(&mut events, 6).await, "- - a - - b");
}

#[tokio::test]
async fn a_wrong_token_is_the_last_event() {
    let server = StandIn::start(|_, _| Reply::Answer(401, "", "{}".into())).await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(events.next().await, Some(Event::Unauthorized));
    assert_eq!(events.next().await, None);
    assert_eq!(server.lines(), ["GET /users/me", "GET /system/ping?get_server_status=true"]);
}

#[tokio::test]
async fn a_token_that_is_revoked_later_is_noticed_by_a_ping() {
    let server = StandIn::start(|line, n| match (line, n) {
        ("GET /users/me", 0) => ok(r#"{"id": "u1"}"#),
        ("GET /users/me", _) => Reply::Answer(401, "", "{}".into()),
        ("GET /websocket", _) => {
            Reply::Socket(vec![hello("x1"), Step::RefusePing(401), Step::Silence])
        }
        _ => ok("{}"),
    })
    .await;
    let mut events = Events::start(server.client(FAST));
    assert_eq!(next(&mut events, 2).await, "- !");
    assert_eq!(events.next().await, Some(Event::Unauthorized));
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_server_that_is_down_is_tried_again() {
    let server = StandIn::start(|line, n| match (line, n) {
        ("GET /users/me", 0) => Reply::Drop,
        ("GET /users/me", 1) => Reply::Answer(502, "", "Bad gateway".into()),
        ("GET /users/me", _) => ok(r#"{"id": "u1"}"#),
        (_, 0) => ok("not a WebSocket"),
        _ => Reply::Socket(vec![hello("x1"), Step::Silence]),
    })
    .await;
    let mut events = Events::start(server.client(FAST));
    let mut reasons = Vec::new();
    while let Some(Event::Disconnected { reason }) = events.next().await {
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
    let server = sockets(vec![vec![hello("x1"), Step::Silence]]).await;
    let proxy = crate::proxy::Proxy::start(listener, server.address(), Some(sender));
    let mut events = Events::start(proxy.client(crate::stand_in::TOKEN, FAST));
    assert_eq!(next(&mut events, 1).await, "-");
    drop(events);
    // The connection of the request, and that of the WebSocket.
    closed.recv().await.unwrap();
    closed.recv().await.unwrap();
}

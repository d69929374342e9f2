//! The event stream and its faults.

use std::time::Duration;

use serde_json::json;
use skein_opencode::{
    EventKind, EventSettings, OpencodeClient, OpencodeError, OpencodeEvent, OpencodeEvents,
};
use skein_standin::{CannedReply, StandIn, event};

/// No pause between attempts; silence is not reached by the tests that do not wait for it.
const SETTINGS: EventSettings = EventSettings {
    silence_timeout: Duration::from_secs(600),
    min_pause: Duration::ZERO,
    max_pause: Duration::ZERO,
};

fn connected() -> String {
    event(&json!({ "payload": { "type": "server.connected" } }))
}

fn delta(text: &str) -> String {
    let properties = json!({
        "sessionID": "ses_1", "messageID": "msg_1", "partID": "prt_1", "field": "text", "delta": text,
    });
    let payload = json!({ "type": "message.part.delta", "properties": properties });
    event(&json!({ "directory": "/a", "payload": payload }))
}

fn follow(server: &StandIn, settings: EventSettings) -> OpencodeEvents {
    OpencodeClient::new(server.address(), None).unwrap().events(settings)
}

/// Describes the next events in one line each.
async fn read(events: &mut OpencodeEvents, number: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..number {
        lines.push(match events.next().await.unwrap() {
            OpencodeEvent::Connected => "connected".to_owned(),
            OpencodeEvent::Received { kind: EventKind::PartDelta(part), .. } => part.delta,
            OpencodeEvent::Received { kind: EventKind::Other(name), .. } => format!("other {name}"),
            OpencodeEvent::Received { kind, .. } => format!("{kind:?}"),
            OpencodeEvent::Disconnected(error) => format!("disconnected: {error}"),
        });
    }
    lines
}

/// Sends the first stream and ends it, and leaves the second one open.
async fn two_streams(first: Vec<Vec<u8>>) -> StandIn {
    two_replies(move || CannedReply::stream(first.iter().map(Vec::as_slice), false)).await
}

/// Sends a first stream with events that OpenCode does not have.
async fn two_unrecorded_streams(first: Vec<String>) -> StandIn {
    two_replies(move || CannedReply::unrecorded_stream(first.iter().map(String::as_bytes), false))
        .await
}

async fn two_replies(first: impl Fn() -> CannedReply + Send + Sync + 'static) -> StandIn {
    StandIn::start(move |request| match request.earlier {
        0 => first(),
        _ => CannedReply::stream([connected().as_bytes(), delta("again").as_bytes()], true),
    })
    .await
}

#[tokio::test]
async fn a_stream_that_ends_in_the_middle_of_a_line_is_opened_again() {
    let cut = delta("lost");
    let first = [&connected(), &delta("one"), &cut[..cut.len() / 2]];
    let server = two_streams(first.iter().map(|text| text.as_bytes().to_vec()).collect()).await;
    let mut events = follow(&server, SETTINGS);
    assert_eq!(
        read(&mut events, 7).await,
        [
            "connected",
            "connected",
            "one",
            "disconnected: OpenCode closed the connection",
            "connected",
            "connected",
            "again"
        ]
    );
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.line).collect();
    assert_eq!(paths, ["GET /global/event", "GET /global/event"]);
}

#[tokio::test]
async fn a_heartbeat_confirms_that_the_stream_is_complete() {
    let heartbeat = event(&json!({ "payload": { "type": "server.heartbeat" } }));
    let first = [connected(), heartbeat.clone(), heartbeat, delta("one")];
    let server = two_streams(first.iter().map(|text| text.as_bytes().to_vec()).collect()).await;
    let mut events = follow(&server, SETTINGS);
    assert_eq!(read(&mut events, 3).await, ["connected", "connected", "one"]);
}

#[tokio::test]
async fn characters_may_be_cut_by_chunks() {
    let text = format!("{}{}", connected(), delta("é✓👍"));
    let server = two_streams(text.into_bytes().chunks(1).map(<[u8]>::to_vec).collect()).await;
    let mut events = follow(&server, SETTINGS);
    assert_eq!(read(&mut events, 3).await, ["connected", "connected", "é✓👍"]);
}

#[tokio::test]
async fn unknown_events_are_reported_by_name() {
    let unknown = "data: {\"payload\":{\"type\":\"moon.phase\",\"properties\":[1]}}\n\n";
    let bare = "data: {\"payload\":{\"type\":\"moon.rise\"}}\n\n";
    let first = [&connected(), ": comment\n\n", unknown, bare, &delta("after")];
    let server = two_unrecorded_streams(first.map(str::to_owned).to_vec()).await;
    let mut events = follow(&server, SETTINGS);
    assert_eq!(
        read(&mut events, 5).await,
        ["connected", "connected", "other moon.phase", "other moon.rise", "after"]
    );
}

#[tokio::test]
async fn data_that_is_not_an_event_ends_the_connection() {
    let first = [&connected(), "data: nonsense\n\n", &delta("not read")];
    let server = two_unrecorded_streams(first.map(str::to_owned).to_vec()).await;
    let mut events = follow(&server, SETTINGS);
    let disconnected = "disconnected: OpenCode sent something unexpected";
    assert_eq!(
        read(&mut events, 5).await,
        ["connected", disconnected, "connected", "connected", "again"]
    );
}

#[tokio::test]
async fn a_silent_server_counts_as_dead() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::silence(),
        1 => CannedReply::stream([connected().as_bytes()], true),
        _ => CannedReply::unrecorded(401, "", ""),
    })
    .await;
    let settings = EventSettings { silence_timeout: Duration::from_millis(300), ..SETTINGS };
    let mut events = follow(&server, settings);
    let silent = "disconnected: OpenCode sent nothing for too long";
    let refused = "disconnected: the OpenCode server rejected the password";
    assert_eq!(read(&mut events, 4).await, [silent, "connected", silent, refused]);
}

#[tokio::test]
async fn a_server_that_is_gone_is_tried_until_it_is_back() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::unrecorded(500, "", "<html>Oops</html>"),
        1 => CannedReply::drop(),
        2 => CannedReply::unrecorded(200, "", "<html>Another server</html>"),
        _ => CannedReply::stream([connected().as_bytes()], true),
    })
    .await;
    let mut events = follow(&server, SETTINGS);
    for _ in 0..3 {
        assert!(matches!(events.next().await, Some(OpencodeEvent::Disconnected(_))));
    }
    assert_eq!(read(&mut events, 1).await, ["connected"]);
}

#[tokio::test]
async fn nothing_is_requested_after_the_events_are_dropped() {
    let server = StandIn::start(|_| CannedReply::stream([connected().as_bytes()], true)).await;
    let mut events = follow(&server, SETTINGS);
    read(&mut events, 1).await;
    drop(events);
    // Another client connects after the first one is gone.
    let mut events = follow(&server, SETTINGS);
    assert!(matches!(events.next().await, Some(OpencodeEvent::Connected)));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_password_that_is_refused_is_reported_as_such() {
    let server = StandIn::start(|_| CannedReply::unrecorded(401, "", "")).await;
    let mut events = follow(&server, SETTINGS);
    let event = events.next().await;
    assert!(
        matches!(event, Some(OpencodeEvent::Disconnected(OpencodeError::Unauthorized))),
        "{event:?}"
    );
}

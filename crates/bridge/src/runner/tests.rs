//! A whole bridge against a stand-in for Mattermost; OpenCode is down.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use skein_fixtures::{Fixture, at};
use skein_standin::{CannedReply, ReplyStep, StandIn};

use super::*;
use crate::core::ids::PostId;
use crate::setup::{BridgeError, BridgeOptions, prepare};
use crate::state_dir::{JOURNAL, read_state};

const HOUR: i64 = 3_600_000;

/// Returns a post of the owner that was created some time after the start.
fn post(id: &str, after: i64) -> Value {
    let time = at(skein_fixtures::NOW).as_millis() + after;
    json!({"id": id, "create_at": time, "update_at": time, "user_id": "ada", "channel_id": "direct",
        "message": format!("prompt {id}")})
}

fn event(seq: u64, name: &str, data: &Value) -> ReplyStep {
    ReplyStep::Send(json!({"event": name, "data": data, "seq": seq}))
}

fn posted(seq: u64, post: &Value) -> ReplyStep {
    event(seq, "posted", &json!({"post": post.to_string(), "channel_type": "D"}))
}

fn hello() -> ReplyStep {
    event(0, "hello", &json!({"connection_id": "x1"}))
}

/// Returns the changes of the channel since the time in a request.
fn changes(line: &str, posts: &[Value]) -> CannedReply {
    let since: i64 = line.split_once("since=").unwrap().1.parse().unwrap();
    let posts = posts.iter().filter(|post| post["update_at"].as_i64().unwrap() >= since);
    let posts: serde_json::Map<_, _> =
        posts.map(|post| (post["id"].as_str().unwrap().to_owned(), post.clone())).collect();
    let order: Vec<_> = posts.keys().collect();
    CannedReply::ok(json!({ "order": order, "posts": posts }))
}

/// Answers what a bridge asks at its start.
fn answer_start(line: &str) -> CannedReply {
    match line {
        "GET /users/me" => CannedReply::ok(r#"{"id": "bot", "username": "skein", "is_bot": true}"#),
        "GET /users/username/ada" => CannedReply::ok(r#"{"id": "ada", "username": "ada"}"#),
        "POST /channels/direct" => CannedReply::json(201, r#"{"id": "direct", "type": "D"}"#),
        "GET /config/client?format=old" => CannedReply::ok("{}"),
        "POST /users/ids" => CannedReply::ok("[]"),
        _ => CannedReply::json(404, r#"{"id": "x", "message": "not there"}"#),
    }
}

/// Prepares a bridge that talks to a server.
async fn bridge(fixture: &Fixture, server: &StandIn) -> Parts {
    write_settings(fixture, server, "");
    let note = Box::new(|_: &str| {});
    let options = BridgeOptions { env: fixture.env(""), environment: Vec::new(), note };
    prepare(options).await.unwrap()
}

fn write_settings(fixture: &Fixture, server: &StandIn, more_settings: &str) {
    fixture.dir("home/src");
    let token = fixture.file("home/token", "secret");
    std::fs::set_permissions(token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let settings = format!(
        "{more_settings}owners = [\"@ada\"]\ndirectories = [\"~/src\"]\n[mattermost]\naddress = \"{}\"\n\
        token_file = \"~/token\"\n[opencode]\naddress = \"http://127.0.0.1:1\"\n",
        server.address()
    );
    fixture.file("home/.config/skein/bridge.toml", &settings);
}

#[tokio::test]
async fn opencode_is_not_asked_about_directories_that_are_not_allowed() {
    let streams = AtomicUsize::new(0);
    let server = StandIn::start(move |request| match request.line.as_str() {
        "GET /global/event" => {
            let is_first = streams.fetch_add(1, Ordering::SeqCst) == 0;
            let connected = json!({"payload": {"type": "server.connected", "properties": {}}});
            let session = json!({"id": "ses_1", "directory": "/secret", "title": "secret",
                "time": {"created": 1, "updated": 1}});
            let session = json!({"directory": "/secret", "payload":
                {"type": "session.updated", "properties": {"sessionID": "ses_1", "info": session}}});
            let events = [&connected, &session, &session].map(skein_standin::event);
            match is_first {
                true => CannedReply::stream(events.iter().map(String::as_bytes), false),
                false => CannedReply::stream([events[0].as_bytes()], true),
            }
        }
        "GET /global/health" => CannedReply::ok(r#"{"healthy":true,"version":"1.18.33"}"#),
        "GET /websocket" => CannedReply::socket(vec![hello(), ReplyStep::Silence]),
        "GET /users/me/channels" => CannedReply::ok("[]"),
        line if line.starts_with("GET /session/status") => CannedReply::ok("{}"),
        line if line.contains("?directory=") => CannedReply::ok("[]"),
        line => answer_start(line),
    })
    .await;
    let fixture = Fixture::new();
    let mut parts = bridge(&fixture, &server).await;
    let client = OpencodeClient::new(server.address(), None).unwrap();
    parts.agent = AgentSource::Running(client);
    let count = |start: &str| server.lines().iter().filter(|line| line.starts_with(start)).count();
    let stop = async {
        // Until all is fetched that the second stream makes the bridge ask for.
        while count("GET /global/event") < 2 || count("GET /question?") < 3 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(20), run(parts, stop)).await.unwrap().unwrap();
    let lines = server.lines();
    assert!(!lines.iter().any(|line| line.contains("secret")), "{lines:?}");
}

#[tokio::test]
async fn posts_that_a_late_resume_leaves_out_are_found_and_each_is_handled_once() {
    let posts = [post("a", 1_000), post("b", 2_000), post("c", HOUR), post("d", HOUR + 1_000)];
    let sockets = AtomicUsize::new(0);
    let server = StandIn::start(move |request| {
        let connections = sockets.load(Ordering::SeqCst);
        match request.line.as_str() {
            "GET /users/me/channels" => {
                let last = at(skein_fixtures::NOW).as_millis() + 2 * HOUR;
                CannedReply::ok(json!([{"id": "direct", "type": "D", "last_post_at": last}]))
            }
            "GET /websocket" => {
                sockets.fetch_add(1, Ordering::SeqCst);
                CannedReply::socket(vec![hello(), posted(1, &posts[0])])
            }
            // The server has forgotten what it sent, and does not say so.
            "GET /websocket?connection_id=x1&sequence_number=2" => {
                sockets.fetch_add(1, Ordering::SeqCst);
                CannedReply::socket(vec![posted(0, &posts[3]), ReplyStep::Silence])
            }
            line if line.starts_with("GET /channels/direct/posts?since=") => {
                changes(line, if connections < 2 { &posts[..1] } else { &posts })
            }
            line => answer_start(line),
        }
    })
    .await;
    let fixture = Fixture::new();
    let parts = bridge(&fixture, &server).await;
    let journal = parts.state.path().join(JOURNAL);
    let stop = async {
        for _ in 0..1_000 {
            if read_state(&journal).unwrap().prompts.len() == 4 {
                break;
            }
            sleep(Duration::from_millis(10)).await;
        }
        // A second search of the same posts would find them again.
        sleep(Duration::from_millis(200)).await;
    };
    run(parts, stop).await.unwrap();
    let prompts = read_state(&journal).unwrap().prompts;
    assert_eq!(prompts.keys().map(PostId::as_str).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.matches("PromptReceived").count(), 4, "{text}");
}

/// Tries to prepare a bridge with more settings, and returns what it prints.
async fn try_prepare(
    fixture: &Fixture,
    server: &StandIn,
    more_settings: &str,
) -> (Result<Parts, BridgeError>, Vec<String>) {
    write_settings(fixture, server, more_settings);
    let notes = Arc::new(Mutex::new(Vec::new()));
    let sink = notes.clone();
    let note = Box::new(move |text: &str| sink.lock().unwrap().push(text.to_owned()));
    let options = BridgeOptions { env: fixture.env(""), environment: Vec::new(), note };
    let prepared = prepare(options).await;
    let printed = notes.lock().unwrap().clone();
    (prepared, printed)
}

#[tokio::test]
async fn a_wrong_path_of_the_address_is_not_taken_for_a_missing_user() {
    let server = StandIn::start(|_| CannedReply::unrecorded(404, "", "{}")).await;
    let (prepared, _) = try_prepare(&Fixture::new(), &server, "").await;
    let error = prepared.err().unwrap();
    let expected = format!("no Mattermost server answers at {}", server.address());
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().unwrap().starts_with("set `mattermost.address`"));
}

#[tokio::test]
async fn a_channel_that_the_bot_is_not_in_is_a_warning_at_the_start() {
    let server = StandIn::start(|request| match request.line.as_str() {
        "GET /teams/name/team/channels/name/town" => {
            CannedReply::ok(r#"{"id": "town", "type": "O", "name": "town"}"#)
        }
        "GET /users/me/channels" => CannedReply::ok("[]"),
        line => answer_start(line),
    })
    .await;
    let (prepared, notes) =
        try_prepare(&Fixture::new(), &server, "channel = \"team/town\"\n").await;
    prepared.unwrap();
    let expected = "Warning: @skein is not a member of the channel team/town, and hears nothing there. Write \
        `/invite @skein` in it.";
    assert_eq!(notes, [expected]);
}

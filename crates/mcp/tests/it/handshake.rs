//! Versions of the protocol, and input that is no protocol.

use std::time::Duration;

use serde_json::{Value, json};
use skein_fixtures::Fixture;

use crate::peer::{Peer, text};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture
}

pub(crate) fn modern(client: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": client, "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_version_is_answered_and_an_unknown_one_with_the_last_that_has_a_handshake() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let fixture = fixture();
        let mut peer = Peer::without_handshake(fixture.env("w"), false);
        let result = peer.initialize("zed", asked)["result"].clone();
        assert_eq!(result["protocolVersion"], answered);
        assert_eq!(result["serverInfo"]["name"], "skein");
        assert!(result["instructions"].as_str().unwrap().chars().count() <= 900);
        assert!(peer.call("review_threads", json!({})).contains("none shown"));
    }
}

#[test]
fn a_client_without_a_handshake_is_answered() {
    let fixture = fixture();
    let mut peer = Peer::without_handshake(fixture.env("w"), false);
    let found = peer.request("server/discover", json!({ "_meta": modern("zed") }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let params = json!({ "name": "review_next", "arguments": {}, "_meta": modern("zed") });
    assert_eq!(text(&peer.request("tools/call", params)), "Nothing waits.");
    let listed = peer.request("tools/list", json!({ "_meta": modern("zed") }));
    assert_eq!(listed["result"]["ttlMs"], 0);
    assert_eq!(listed["result"]["cacheScope"], "private");
}

#[test]
fn a_client_may_look_first_and_then_shake_hands() {
    let fixture = fixture();
    let mut peer = Peer::without_handshake(fixture.env("w"), false);
    peer.request("server/discover", json!({ "_meta": modern("claude-code") }));
    peer.initialize("claude-code", "2025-11-25");
    assert_eq!(peer.call("review_next", json!({})), "Nothing waits.");
}

#[test]
fn junk_between_requests_is_ignored() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    peer.write(b"junk\n\n{\"a\":1}\n[1]\n\xff\xfe\n{\"jsonrpc\":\"2.0\"}\n");
    assert_eq!(peer.call("review_next", json!({})), "Nothing waits.");
    let long = "a".repeat(2_000_000);
    let answer = peer.call("review_reply", json!({ "replies": [{ "id": "x", "body": long }] }));
    assert!(answer.contains("too long"), "{answer}");
}

#[test]
fn what_is_not_offered_is_an_error_of_the_protocol() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let unknown = peer.request("tools/call", json!({ "name": "nope", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    let unknown = peer.request("resources/read", json!({ "uri": "skein://nope" }));
    assert_eq!(unknown["error"]["code"], -32002);
    let unknown = peer.request("prompts/get", json!({ "name": "nope" }));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(peer.request("nope/nope", json!({}))["error"]["code"], -32601);
    let answer = peer.call("review_threads", json!({ "nope": 1 }));
    assert!(answer.contains("unknown field `nope`"), "{answer}");
}

#[test]
fn the_server_ends_with_its_input() {
    let fixture = fixture();
    let (took, _) = Peer::new(&fixture, "w", "zed").close();
    assert!(took < Duration::from_secs(4), "{took:?}");
    let (took, _) = Peer::without_handshake(fixture.env("w"), false).close();
    assert!(took < Duration::from_secs(4), "{took:?}");
    let mut peer = Peer::without_handshake(fixture.env("w"), false);
    let filter = json!({ "resourceSubscriptions": ["skein://waiting"] });
    let params = json!({ "notifications": filter, "_meta": modern("zed") });
    peer.send("subscriptions/listen", params);
    peer.next();
    peer.request("tools/list", json!({ "_meta": modern("zed") }));
    let (took, _) = peer.close();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

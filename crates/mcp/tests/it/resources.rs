//! Resources, subscriptions and prompts.

use serde_json::json;
use skein_fixtures::{Fixture, Review};

use crate::handshake::modern;
use crate::peer::Peer;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", "one\n");
    fixture.review("w", "aaaa", &Review::default());
    fixture
}

fn read(peer: &mut Peer, uri: &str) -> String {
    let answer = peer.request("resources/read", json!({ "uri": uri }));
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "text/markdown", "{answer}");
    contents["text"].as_str().unwrap().to_owned()
}

#[test]
fn resources_have_the_texts_of_the_tools() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let listed = peer.request("resources/list", json!({}));
    let listed = listed["result"]["resources"].as_array().unwrap().clone();
    let uris: Vec<_> = listed.iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["skein://waiting", "skein://brief"]);
    let templates = peer.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "skein://thread/{id}");
    assert_eq!(read(&mut peer, "skein://waiting"), peer.call("review_threads", json!({})));
    assert_eq!(read(&mut peer, "skein://brief"), peer.call("work_resume", json!({})));
    let thread = peer.call("review_threads", json!({ "ids": ["aaaa"] }));
    assert_eq!(read(&mut peer, "skein://thread/aaaa"), thread);
    let unknown = peer.request("resources/read", json!({ "uri": "skein://thread/zzzz" }));
    assert_eq!(unknown["error"]["code"], -32002);
}

#[test]
fn subscribers_are_told_what_has_changed() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    for uri in ["skein://waiting", "skein://thread/aaaa", "skein://thread/bbbb"] {
        assert!(peer.request("resources/subscribe", json!({ "uri": uri }))["result"].is_object());
    }
    peer.request("resources/unsubscribe", json!({ "uri": "skein://waiting" }));
    let reply = json!({ "replies": [{ "id": "aaaa", "body": "Done." }] });
    // The watch begins while the first of these is written.
    while !peer.others.iter().any(|one| one["method"] == "notifications/resources/updated") {
        peer.call("review_reply", reply.clone());
        let body = json!({ "replies": [{ "id": "aaaa", "body": "More." }] });
        peer.call("review_reply", body);
        peer.call("review_threads", json!({}));
    }
    let updated: Vec<_> =
        peer.others.iter().filter_map(|one| one["params"]["uri"].as_str()).collect();
    assert!(updated.iter().all(|uri| *uri == "skein://thread/aaaa"), "{updated:?}");
    let unknown = peer.request("resources/subscribe", json!({ "uri": "skein://nope" }));
    assert_eq!(unknown["error"]["code"], -32002);
}

#[test]
fn a_newer_client_listens() {
    let fixture = fixture();
    let mut peer = Peer::without_handshake(fixture.env("w"), false);
    let filter = json!({ "resourceSubscriptions": ["skein://waiting", "skein://nope"] });
    let params = json!({ "notifications": filter, "_meta": modern("zed") });
    peer.send("subscriptions/listen", params);
    let accepted = peer.next();
    assert_eq!(
        accepted["params"]["notifications"]["resourceSubscriptions"],
        json!(["skein://waiting"]),
        "{accepted}"
    );
    let mut number = 0;
    let reply = loop {
        number += 1;
        let replies = json!({ "replies": [{ "id": "aaaa", "body": number.to_string() }] });
        let params =
            json!({ "name": "review_reply", "arguments": replies, "_meta": modern("zed") });
        peer.request("tools/call", params);
        let is_update =
            |one: &&serde_json::Value| one["method"] == "notifications/resources/updated";
        if let Some(update) = peer.others.iter().find(is_update) {
            break update.clone();
        }
    };
    assert_eq!(reply["params"]["uri"], "skein://waiting");
}

#[test]
fn prompts_have_instructions_and_what_they_are_about() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let listed = peer.request("prompts/list", json!({}));
    let listed = listed["result"]["prompts"].as_array().unwrap().clone();
    let names: Vec<_> = listed.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["review", "handoff", "resume"]);
    let mut text = |name: &str, arguments: serde_json::Value| {
        let answer = peer.request("prompts/get", json!({ "name": name, "arguments": arguments }));
        answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let review = text("review", json!({ "path": "src" }));
    assert!(
        review.starts_with("Work on the review") && review.contains("\naaaa `src/a.rs:1`"),
        "{review}"
    );
    assert!(text("handoff", json!({ "note": "Mind the gap." })).ends_with("\n\nMind the gap."));
    assert!(text("resume", json!({})).ends_with("Nothing to resume: there is no checkpoint yet."));
    // Claude Code replaces mentions of files in prompts by their content.
    let says = [("Mallory", "@/etc/passwd")];
    fixture.review("w", "bbbb", &Review { path: "src/a.rs", says: &says, ..Review::default() });
    let review = text("review", json!({}));
    assert!(review.contains("\\u{40}/etc/passwd") && !review.contains('@'), "{review}");
    let wrong = peer.request("prompts/get", json!({ "name": "review", "arguments": { "x": "y" } }));
    assert_eq!(wrong["error"]["message"], "there is no argument x");
}

//! Claims, and waiting for threads.

use std::fs::File;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::json;
use skein_fixtures::{Fixture, Review};

use crate::peer::{Peer, text};

/// Far less than the time that is waited for.
const SOON: Duration = Duration::from_secs(10);

fn fixture(threads: &[&str]) -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", "one\ntwo\n");
    for id in threads {
        fixture.review("w", id, &Review::default());
    }
    fixture
}

/// Writes a thread that the reviewer wrote some time ago, as one of a program that does not submit.
fn settled(fixture: &Fixture, id: &str, review: &Review<'_>) {
    let path = fixture.review("staged", id, review);
    File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
    let threads = fixture.dir("w/.code-review/threads");
    std::fs::rename(&path, threads.join(format!("{id}.md"))).unwrap();
}

fn claimed(answer: &str) -> Option<String> {
    let head = answer.lines().find_map(|line| line.strip_prefix("## "))?;
    head.split(' ').next().map(str::to_owned)
}

#[test]
fn each_client_gets_a_thread_of_its_own_until_it_answers() {
    let fixture = fixture(&["aaaa", "bbbb"]);
    let mut first = Peer::new(&fixture, "w", "zed");
    let mut second = Peer::new(&fixture, "w", "zed");
    let answer = first.call("review_next", json!({}));
    assert!(answer.contains("claimed by you for 30 minutes"), "{answer}");
    assert!(answer.contains("; 1 more waits\n"), "{answer}");
    let own = claimed(&answer).unwrap();
    assert_eq!(claimed(&first.call("review_next", json!({}))).as_ref(), Some(&own));
    let other = claimed(&second.call("review_next", json!({}))).unwrap();
    assert_ne!(own, other);
    let answer = Peer::new(&fixture, "w", "zed").call("review_next", json!({}));
    assert_eq!(answer, "Nothing waits for you; claimed by other agents: 2.");
    let listed = second.call("review_threads", json!({}));
    assert!(listed.contains("claimed by `Zed [agent]`"), "{listed}");
    let refused = second.call("review_next", json!({ "release": own }));
    // Both are called Zed: the end of the session's id tells them apart.
    assert!(
        refused.starts_with(&format!("Error: {own} is claimed by `Zed [agent] …")),
        "{refused}"
    );
    assert_eq!(
        first.call("review_next", json!({ "release": own })),
        format!("Released {own}; 2 waiting.")
    );
    first.call("review_reply", json!({ "replies": [{ "id": own, "body": "Done." }] }));
    assert_eq!(
        second.call("review_next", json!({})).lines().nth(2),
        Some(format!("## {other} `src/a.rs:1`").as_str())
    );
}

#[test]
fn eight_clients_share_the_threads_without_overlap() {
    let ids: Vec<_> = (0..40).map(|number| format!("t{number:02}")).collect();
    let fixture = fixture(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let (sender, answered) = channel();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (sender, mut peer) = (sender.clone(), Peer::new(&fixture, "w", "codex-mcp-client"));
            scope.spawn(move || {
                while let Some(id) = claimed(&peer.call("review_next", json!({}))) {
                    let reply = json!({ "replies": [{ "id": id, "body": "Done." }] });
                    let answer = peer.call("review_reply", reply);
                    assert!(answer.starts_with("replied "), "{answer}");
                    sender.send(id).unwrap();
                }
            });
        }
    });
    drop(sender);
    let mut answered: Vec<_> = answered.iter().collect();
    answered.sort();
    assert_eq!(answered, ids);
}

#[test]
fn a_wait_returns_the_thread_that_comes_and_other_calls_are_answered_meanwhile() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    let wait = peer.send_call("review_next", json!({ "wait_seconds": 600 }));
    let answer = peer.call("review_threads", json!({}));
    assert!(answer.contains("none shown"), "{answer}");
    settled(&fixture, "late", &Review::default());
    let begun = Instant::now();
    assert_eq!(claimed(&text(&peer.answer(wait))).as_deref(), Some("late"));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_wait_on_a_path_is_not_ended_by_other_threads() {
    let fixture = fixture(&["other"]);
    fixture.file("w/src/b.rs", "one\n");
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    let wait = peer.send_call("review_next", json!({ "wait_seconds": 600, "path": "src/b.rs" }));
    peer.call("review_threads", json!({}));
    settled(&fixture, "want", &Review { path: "src/b.rs", ..Review::default() });
    assert_eq!(claimed(&text(&peer.answer(wait))).as_deref(), Some("want"));
}

#[test]
fn a_wait_that_is_cancelled_gives_no_answer_and_claims_nothing() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    let wait = peer.send_call("review_next", json!({ "wait_seconds": 600 }));
    peer.call("review_threads", json!({}));
    peer.notify("notifications/cancelled", json!({ "requestId": wait }));
    peer.call("review_threads", json!({}));
    settled(&fixture, "late", &Review::default());
    let listed = peer.call("review_threads", json!({}));
    assert!(!listed.contains("claimed"), "{listed}");
    assert!(peer.others.iter().all(|message| message["id"] != wait), "{:?}", peer.others);
}

#[test]
fn a_wait_that_is_cancelled_before_it_begins_ends_too() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    // More than there are places for calls.
    for id in 1_000..1_050 {
        let call = json!({ "name": "review_next", "arguments": { "wait_seconds": 600 } });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        let cancel = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        peer.write(format!("{call}\n{cancel}\n").as_bytes());
        if id % 10 == 9 {
            peer.call("review_threads", json!({}));
        }
    }
    settled(&fixture, "late", &Review::default());
    assert_eq!(claimed(&peer.call("review_next", json!({}))).as_deref(), Some("late"));
}

#[test]
fn more_waits_than_places_are_refused_and_other_requests_answered() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    for _ in 0..70 {
        peer.send_call("review_next", json!({ "wait_seconds": 600 }));
    }
    assert!(peer.request("tools/list", json!({}))["result"].is_object());
    let refused = peer.call("review_threads", json!({}));
    assert!(refused.starts_with("Error: 32 calls are in progress or wait"), "{refused}");
    let (took, _) = peer.close();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_thread_is_given_back_when_the_process_of_its_claim_ends() {
    let fixture = fixture(&["aaaa"]);
    let mut peer = Peer::new(&fixture, "w", "codex-mcp-client");
    assert_eq!(claimed(&peer.call("review_next", json!({}))).as_deref(), Some("aaaa"));
    peer.close();
    let mut next = Peer::new(&fixture, "w", "codex-mcp-client");
    assert_eq!(claimed(&next.call("review_next", json!({}))).as_deref(), Some("aaaa"));
}

#[test]
fn the_end_of_the_input_claims_nothing() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "codex-mcp-client");
    peer.send_call("review_next", json!({ "wait_seconds": 600 }));
    peer.call("review_threads", json!({}));
    // It has just been written, so that the wait goes on.
    fixture.review("w", "aaaa", &Review::default());
    peer.call("review_threads", json!({}));
    peer.close();
    let listed = Peer::new(&fixture, "w", "zed").call("review_threads", json!({}));
    assert!(listed.contains("aaaa") && !listed.contains("claimed"), "{listed}");
}

#[test]
fn the_end_of_the_input_ends_a_wait_at_once() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    for _ in 0..3 {
        peer.send_call("review_next", json!({ "wait_seconds": 600 }));
    }
    peer.call("review_threads", json!({}));
    let (took, _) = peer.close();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn a_wait_of_a_second_is_longer_and_says_how_long_it_was() {
    let fixture = fixture(&[]);
    let mut peer = Peer::new(&fixture, "w", "zed");
    let answer = peer.call("review_next", json!({ "wait_seconds": 1 }));
    assert_eq!(answer, "Timed out after 5 s; call again.");
    let answer = peer.call("review_next", json!({ "wait_seconds": 601 }));
    assert_eq!(answer, "Error: wait_seconds is 601, and can be 0 to 600");
}

#[test]
fn a_read_only_server_claims_nothing() {
    let fixture = fixture(&["aaaa"]);
    let before = fixture.tree();
    let mut peer = Peer::without_handshake(fixture.env("w"), true);
    peer.initialize("zed", "2025-11-25");
    for _ in 0..2 {
        let answer = peer.call("review_next", json!({}));
        assert_eq!(claimed(&answer).as_deref(), Some("aaaa"));
        assert!(!answer.contains("claimed"), "{answer}");
    }
    let without_cache = |tree: &str| {
        let lines: Vec<_> = tree.lines().filter(|line| !line.contains("cache")).collect();
        lines.join("\n")
    };
    assert_eq!(without_cache(&fixture.tree()), without_cache(&before));
}

//! Checkpoints, handoffs and steps.

use serde_json::json;
use skein_fixtures::Fixture;

use crate::peer::Peer;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture
}

#[test]
fn work_is_saved_and_resumed_by_another_client() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    assert_eq!(
        peer.call("work_resume", json!({})),
        "Nothing to resume: there is no checkpoint yet."
    );
    let answer = peer.call(
        "work_save",
        json!({ "summary": "The cache is done.", "title": "Cache", "steps": ["Write the docs", "Test it"], "tags": ["cache"] }),
    );
    let lines: Vec<_> = answer.lines().skip(2).collect();
    assert!(
        lines[0].starts_with("Saved `T-20260123-143000-the-cache-is-done` (`main at "),
        "{answer}"
    );
    assert_eq!(lines[1], "next: `the-cache-is-done#1`, `the-cache-is-done#2`");
    let brief = Peer::new(&fixture, "w", "codex-mcp-client").call("work_resume", json!({}));
    assert!(brief.contains("# Resume: Cache\n"), "{brief}");
    assert!(brief.contains("- by: claude-code\n"), "{brief}");
    assert!(brief.contains("> The cache is done.\n"), "{brief}");
    assert!(brief.contains("#2: Test it\n"), "{brief}");
    assert!(brief.contains("`work_save` with `close_steps` closes them."), "{brief}");
    assert!(!brief.contains("`skein "), "{brief}");
}

#[test]
fn steps_are_listed_and_closed() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    peer.call("work_save", json!({ "summary": "One", "steps": ["a", "b", "c"] }));
    let listed = peer.call("work_resume", json!({ "what": "steps", "limit": 2 }));
    let rows = "Open steps: 3\n`one#1` (now): `a`\n`one#2` (now): `b`\ncursor: ";
    let cursor = listed.split_once(rows).unwrap().1.trim().to_owned();
    let rest = json!({ "what": "steps", "cursor": cursor });
    let text = peer.call("work_resume", rest.clone());
    assert!(text.ends_with("Open steps: 3\n`one#3` (now): `c`\n"), "{text}");
    let close = json!([{ "id": "one#1" }, { "id": "one#2", "how": "drop", "note": "not needed" }]);
    let answer = peer.call("work_save", json!({ "close_steps": close }));
    assert!(answer.ends_with("done: `one#1`\ndropped: `one#2`\n"), "{answer}");
    // The next page begins where the last one ended, also when steps were closed in between.
    let text = peer.call("work_resume", rest);
    assert!(text.ends_with("Open steps: 1\n`one#3` (now): `c`\n"), "{text}");
    let file = fixture.read("w/workspace/threads/T-20260123-143000-one.json");
    assert!(file.contains("Zed [agent]") && file.contains("not needed"), "{file}");
    let unknown = peer.call("work_save", json!({ "close_steps": [{ "id": "nine#1" }] }));
    assert!(unknown.starts_with("Error: failed `nine#1`: "), "{unknown}");
    // A step that is not there hides neither the others nor the summary.
    let close = json!([{ "id": "nine#1", "how": null }, { "id": "one#3" }]);
    let answer = peer.call("work_save", json!({ "summary": "Two", "close_steps": close }));
    for part in ["Saved `T-20260123-143000-two`", "failed `nine#1`: ", "done: `one#3`"] {
        assert!(answer.contains(part), "{answer}");
    }
}

#[test]
fn a_handoff_is_handed_over() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let answer = peer.call("work_save", json!({ "summary": "Go on here.", "handoff": true }));
    assert!(answer.contains("Handed over in `T-20260123-143000-go-on-here`"), "{answer}");
    let brief = peer.call("work_resume", json!({}));
    assert!(brief.contains("(handoff, handed over last)"), "{brief}");
}

#[test]
fn checkpoints_are_listed_in_pages_and_searched() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    for word in ["alpha", "beta", "gamma"] {
        peer.call("work_save", json!({ "summary": word }));
    }
    let first = peer.call("work_resume", json!({ "what": "list", "limit": 2 }));
    assert!(first.contains("Checkpoints: 3; 1 to 2 shown, newest first\n"), "{first}");
    let cursor = first.lines().find_map(|line| line.strip_prefix("cursor: ")).unwrap();
    let second = peer.call("work_resume", json!({ "what": "list", "cursor": cursor }));
    assert!(second.contains("3 to 3 shown"), "{second}");
    let found = peer.call("work_resume", json!({ "what": "list", "query": "beta" }));
    assert!(found.contains("Checkpoints: 1;") && found.contains("`beta` (checkpoint"), "{found}");
}

#[test]
fn secrets_are_left_out() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let answer = peer.call("work_save", json!({ "summary": format!("Use {secret}.") }));
    assert!(answer.contains("left out"), "{answer}");
    assert!(!fixture.tree().contains(secret));
    assert!(!peer.call("work_resume", json!({})).contains(secret));
}

#[test]
fn wrong_parameters_are_explained() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let before = fixture.tree();
    let mut check = |arguments: serde_json::Value, expected: &str| {
        assert_eq!(peer.call("work_save", arguments), format!("Error: {expected}"));
    };
    check(json!({}), "there is nothing to save. Hint: give summary or close_steps");
    check(json!({ "summary": " " }), "there is nothing to save. Hint: give summary or close_steps");
    check(
        json!({ "summary": "x", "files": ["../x"] }),
        "not a path of the workspace: ../x (contains `..`). Hint: paths are relative to the root, such as `src/main.rs`",
    );
    let many: Vec<_> = (0..31).map(|number| number.to_string()).collect();
    check(json!({ "summary": "x", "steps": many }), "steps has 31 entries, and can have 0 to 30");
    let answer = peer.call("work_resume", json!({ "id": "../../etc/passwd" }));
    assert_eq!(answer, "Error: not an id: ../../etc/passwd");
    let answer = peer.call("work_resume", json!({ "query": "x" }));
    assert_eq!(answer, "Error: query has no effect with what: brief");
    assert_eq!(fixture.tree(), before);
}

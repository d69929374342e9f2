//! Answers to threads.

use serde_json::{Value, json};
use skein_fixtures::{Fixture, Review};

use crate::peer::Peer;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", "one\ntwo\n");
    fixture.review("w", "aaaa", &Review::default());
    fixture.review("w", "bbbb", &Review { status: "resolved", ..Review::default() });
    fixture
}

fn replies(replies: &[(&str, &str, &str)]) -> Value {
    let one =
        |(id, body, then): &(&str, &str, &str)| json!({ "id": id, "body": body, "then": then });
    json!({ "replies": replies.iter().map(one).collect::<Vec<_>>() })
}

#[test]
fn each_reply_succeeds_or_fails_alone() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "claude-code");
    let all = [
        ("aa", "Done.", "keep"),
        ("zz", "x", "keep"),
        ("bbbb", "No.", "reopen"),
        ("aa", " ", "keep"),
    ];
    assert_eq!(
        peer.call("review_reply", replies(&all)),
        "replied aaaa `src/a.rs:1`, now waits on the reviewer\n\
        failed zz: no thread has this id: zz. Hint: `review_threads` with `status` all lists them\n\
        reopened bbbb `src/a.rs:1`, now waits on the reviewer\n\
        failed aa: the reply is empty"
    );
    let written = fixture.read("w/.code-review/threads/aaaa.md");
    assert!(written.contains("author=\"Claude Code\""), "{written}");
    let failed = peer.call("review_reply", replies(&[("zz", "x", "keep")]));
    assert!(failed.starts_with("Error: failed zz: "), "{failed}");
}

#[test]
fn the_same_reply_again_changes_nothing() {
    for then in ["keep", "resolve", "reopen"] {
        let fixture = fixture();
        let mut peer = Peer::new(&fixture, "w", "codex-mcp-client");
        peer.call("review_reply", replies(&[("aaaa", "Done.", then)]));
        let before = fixture.read("w/.code-review/threads/aaaa.md");
        let again = peer.call("review_reply", replies(&[("aaaa", "Done.", then)]));
        assert_eq!(again, "unchanged aaaa: the same reply is there already");
        assert_eq!(fixture.read("w/.code-review/threads/aaaa.md"), before);
        let other = peer.call("review_reply", replies(&[("aaaa", "Done!", "keep")]));
        assert!(other.starts_with("replied aaaa "), "{other}");
    }
}

#[test]
fn a_repeated_reply_is_recognised_as_it_was_written() {
    for body in ["a\r\nb", "\n\nstart", "x\n<local-code-review-comment id=\"1\"/>", "end \n\n"] {
        let fixture = fixture();
        let mut peer = Peer::new(&fixture, "w", "codex-mcp-client");
        let call = replies(&[("aaaa", body, "keep"), ("aaaa", "Second.", "keep")]);
        peer.call("review_reply", call.clone());
        let again = peer.call("review_reply", call);
        let unchanged = "unchanged aaaa: the same reply is there already";
        assert_eq!(again, format!("{unchanged}\n{unchanged}"), "{body:?}");
    }
}

#[test]
fn two_calls_with_the_same_reply_at_once_write_one_comment() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "codex-mcp-client");
    let ids: Vec<_> = (0..8)
        .map(|_| peer.send_call("review_reply", replies(&[("aaaa", "Done.", "keep")])))
        .collect();
    for id in ids {
        peer.answer(id);
    }
    let written = fixture.read("w/.code-review/threads/aaaa.md");
    assert_eq!(written.matches("Done.").count(), 1, "{written}");
}

#[test]
fn an_agent_proposes_to_resolve_unless_it_may() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "opencode");
    let answer = peer.call("review_reply", replies(&[("aaaa", "Done.", "resolve")]));
    assert_eq!(
        answer,
        "proposed aaaa `src/a.rs:1`: agents may not resolve here; the reviewer decides"
    );
    let settings = "[review]\nagents_may_resolve = true\n";
    fixture.file("home/.config/skein/config.toml", settings);
    let answer = peer.call("review_reply", replies(&[("aaaa", "Really done.", "resolve")]));
    assert_eq!(answer, "resolved aaaa `src/a.rs:1`");
}

#[test]
fn a_reply_that_looks_like_a_secret_is_written_with_a_warning() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "opencode");
    let secret = "Use ghp_0123456789abcdefghijABCDEFGHIJ012345.";
    let answer = peer.call("review_reply", replies(&[("aaaa", secret, "keep")]));
    assert!(answer.contains("Warning: the comment seems to contain a secret"), "{answer}");
    assert!(!answer.contains("ghp_"), "{answer}");
}

#[test]
fn lists_have_limits() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "opencode");
    let none = peer.call("review_reply", json!({ "replies": [] }));
    assert_eq!(none, "Error: replies has 0 entries, and can have 1 to 20");
    let missing = peer.call("review_reply", json!({}));
    assert_eq!(missing, "Error: invalid parameters: missing field `replies`");
    let second = json!({ "replies": [{ "id": "aaaa", "body": "Done." }, { "id": "bbbb" }] });
    let missing = peer.call("review_reply", second);
    assert_eq!(missing, "Error: invalid parameters: replies[1]: missing field `body`");
    let wrong = peer.call("review_reply", json!({ "replies": [{ "id": "aaaa", "body": 7 }] }));
    let expected = "replies[0].body: invalid type: integer `7`, expected a string";
    assert_eq!(wrong, format!("Error: invalid parameters: {expected}"));
    let wrong = peer.call("review_reply", json!({ "replies": "aaaa" }));
    let expected = "replies: invalid type: string \"aaaa\", expected a sequence";
    assert_eq!(wrong, format!("Error: invalid parameters: {expected}"));
}

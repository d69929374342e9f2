//! New threads.

use serde_json::{Value, json};
use skein_fixtures::Fixture;

use crate::peer::Peer;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/src/a.rs", "one\ntwo\nthree\ntwo\n");
    fixture.file("secret.txt", "secret\n");
    fixture.link("w/out.txt", fixture.path("secret.txt"));
    fixture
}

fn comment(value: Value) -> Value {
    json!({ "comments": [value] })
}

#[test]
fn threads_are_added_and_listed() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "gemini-cli-mcp-client");
    let comments = json!([
        { "path": "src/a.rs", "line": 2, "end_line": 3, "expect": "two", "body": "Why?", "suggestion": "2\n" },
        { "path": "./src/a.rs", "body": "The whole file." },
    ]);
    let answer = peer.call("review_comment", json!({ "comments": comments }));
    let added: Vec<_> = answer.lines().filter(|line| line.starts_with("added ")).collect();
    assert_eq!(added.len(), 2, "{answer}");
    assert!(added[0].ends_with(" `src/a.rs:2-3`: `two`"), "{answer}");
    assert!(added[1].ends_with(" `src/a.rs`"), "{answer}");
    let listed = peer.call("review_threads", json!({ "waiting_on": "any" }));
    assert!(
        listed.contains("waits on the reviewer, 1 comment, changed just now, suggestion: `Why?`"),
        "{listed}"
    );
}

#[test]
fn a_comment_on_a_wrong_line_is_refused_with_the_right_one() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let before = fixture.tree();
    let mut check = |value: Value, expected: &str| {
        assert_eq!(peer.call("review_comment", comment(value)), format!("Error: {expected}"));
    };
    check(
        json!({ "path": "src/a.rs", "line": 1, "expect": "two", "body": "Why?" }),
        "line 1 of src/a.rs does not contain \"two\"; it is \"one\". Hint: it is in src/a.rs:2, src/a.rs:4",
    );
    check(
        json!({ "path": "src/a.rs", "line": 2, "body": "Why?" }),
        "comment 1: a comment on a line needs expect. Hint: give a text that the first line contains, so that a wrong line is noticed",
    );
    check(
        json!({ "path": "src/a.rs", "line": 9, "expect": "x", "body": "Why?" }),
        "src/a.rs has 4 lines; there is no line 9. Hint: the last line is `src/a.rs:4`",
    );
    check(
        json!({ "path": "src/a.rs", "body": " " }),
        "the comment is empty. Hint: give a body or a suggestion",
    );
    check(
        json!({ "path": "src/b.rs", "body": "Why?" }),
        "comment 1: there is no such file: src/b.rs. Hint: paths are relative to the root",
    );
    assert_eq!(fixture.tree(), before);
}

#[test]
fn all_comments_are_added_or_none() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let comments = json!([
        { "path": "src/a.rs", "line": 1, "expect": "one", "body": "Good." },
        { "path": "src/a.rs", "line": 1, "expect": "nine", "body": "Bad." },
    ]);
    let answer = peer.call("review_comment", json!({ "comments": comments }));
    assert!(answer.contains("1 of 2 comments cannot be added, so none was"), "{answer}");
    assert!(!fixture.path("w/.code-review").exists());
}

#[test]
fn a_very_long_line_is_not_repeated_in_the_error() {
    let fixture = fixture();
    fixture.file("w/min.js", "x".repeat(200_000));
    let mut peer = Peer::new(&fixture, "w", "zed");
    let value = json!({ "path": "min.js", "line": 1, "expect": "zzz", "body": "b" });
    for count in [1, 50] {
        let comments = vec![value.clone(); count];
        let answer = peer.call("review_comment", json!({ "comments": comments }));
        assert!(answer.starts_with("Error: ") && answer.chars().count() < 4_100, "{answer}");
    }
}

#[test]
fn every_thread_that_was_added_is_in_the_answer() {
    let fixture = fixture();
    let path = format!("{}/a.rs", "long-name/".repeat(20));
    fixture.file(&format!("w/{path}"), "one\n");
    let mut peer = Peer::new(&fixture, "w", "zed");
    let comments = vec![json!({ "path": path, "line": 1, "expect": "one", "body": "b" }); 50];
    let answer = peer.call("review_comment", json!({ "comments": comments }));
    let ids = answer.split_once("added 50 threads, in the order of the comments: ").unwrap().1;
    assert_eq!(ids.split(", ").count(), 50, "{answer}");
}

#[test]
fn a_whole_path_below_the_root_is_accepted() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let path = fixture.path("w/src/a.rs").display().to_string();
    let answer = peer.call("review_comment", comment(json!({ "path": path, "body": "Why?" })));
    assert!(answer.contains(" `src/a.rs`"), "{answer}");
}

#[test]
fn only_files_of_the_workspace_are_read() {
    let fixture = fixture();
    let mut peer = Peer::new(&fixture, "w", "zed");
    let absolute = fixture.path("secret.txt").display().to_string();
    let paths =
        ["../secret.txt", "src/../../secret.txt", &absolute, ".git/config", "out.txt", "src", ""];
    for path in paths {
        let value = json!({ "path": path, "line": 1, "expect": "x", "body": "Why?" });
        let answer = peer.call("review_comment", comment(value));
        assert!(answer.starts_with("Error: "), "{path}: {answer}");
        assert!(!answer.contains("it is \"secret"), "{path}: {answer}");
    }
}

#[test]
fn no_store_is_created_outside_of_a_repository() {
    let fixture = Fixture::new();
    fixture.file("w/a.txt", "one\n");
    let mut peer = Peer::new(&fixture, "w", "zed");
    let answer = peer.call("review_comment", comment(json!({ "path": "a.txt", "body": "Why?" })));
    assert!(answer.contains("not a git repository"), "{answer}");
    assert!(!fixture.path("w/.code-review").exists());
}

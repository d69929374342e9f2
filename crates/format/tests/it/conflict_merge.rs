//! Threads with unresolved merge conflicts of git.

use skein_format::review::{ReviewDoc, conflict_count, merge_conflict};

use crate::merge::Thread;

const STORE: &str = ".code-review";

/// Merges the conflicts in a file and compares the result with the expected thread.
#[track_caller]
fn check(file: &str, expected: &Thread) {
    let merged = merge_conflict(file.as_bytes(), "t", STORE).unwrap();
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), expected.text());
    assert!(!merged.conflicted);
    let crlf = merge_conflict(file.replace('\n', "\r\n").as_bytes(), "t", STORE).unwrap();
    assert_eq!(String::from_utf8(crlf.bytes).unwrap(), expected.text().replace('\n', "\r\n"));
}

fn comment(id: &str, minute: u32, body: &str) -> String {
    format!(
        "\n<local-code-review-comment id=\"{id}\" author=\"Ines\" createdAt=\"2026-03-02T10:{minute:02}:00.000Z\"/>\n\n{body}\n"
    )
}

fn conflict(ours: &str, base: Option<&str>, theirs: &str) -> String {
    let base = base.map_or(String::new(), |base| format!("||||||| 1f0c\n{base}"));
    format!("<<<<<<< HEAD\n{ours}{base}=======\n{theirs}>>>>>>> topic\n")
}

fn updated(at: &str) -> String {
    format!("  \"updatedAt\": \"2026-03-02T{at}:00.000Z\"\n")
}

/// A thread that was answered on two branches.
fn replies(with_base: bool) -> (String, Thread) {
    let base = Thread::default().text();
    let old = updated("10:00");
    let times = conflict(&updated("10:05"), with_base.then_some(&old), &updated("10:06"));
    let (one, other) = (comment("c2", 5, "One."), comment("c3", 6, "Two."));
    let tail = conflict(&one, with_base.then_some(""), &other);
    let both = Thread {
        updated: "10:06",
        comments: vec![("c1", 0, "Why?"), ("c2", 5, "One."), ("c3", 6, "Two.")],
        ..Thread::default()
    };
    (base.replace(&old, &times) + &tail, both)
}

#[test]
fn two_conflicting_replies_are_merged() {
    for with_base in [false, true] {
        let (file, both) = replies(with_base);
        check(&file, &both);
    }
}

#[test]
fn a_conflict_only_between_comments_is_found_and_merged() {
    let tail = conflict(&comment("c2", 5, "One."), None, &comment("c3", 6, "Two."));
    let file = Thread { updated: "10:06", ..Thread::default() }.text() + &tail;
    let (doc, findings) = ReviewDoc::parse(file.clone().into_bytes(), "t", STORE);
    assert!(doc.head().usable);
    let codes: Vec<&str> = findings.iter().map(|one| one.code.as_str()).collect();
    assert_eq!(codes, ["review-conflict-text"]);
    check(&file, &replies(false).1);
    let merged = merge_conflict(file.as_bytes(), "t", STORE).unwrap().bytes;
    assert_eq!(ReviewDoc::parse(merged, "t", STORE).1, []);
}

#[test]
fn a_comment_that_is_missing_on_one_side_is_kept_with_and_without_a_base() {
    let second = comment("c2", 1, "Gone.");
    let tail = conflict("", Some(&second), &(second.clone() + &comment("c3", 6, "Two.")));
    let file = Thread { updated: "10:06", ..Thread::default() }.text() + &tail;
    let comments = vec![("c1", 0, "Why?"), ("c2", 1, "Gone."), ("c3", 6, "Two.")];
    check(&file, &Thread { updated: "10:06", comments, ..Thread::default() });
    let plain = file.replace(&format!("||||||| 1f0c\n{second}"), "");
    let comments = vec![("c1", 0, "Why?"), ("c2", 1, "Gone."), ("c3", 6, "Two.")];
    check(&plain, &Thread { updated: "10:06", comments, ..Thread::default() });
}

#[test]
fn a_conflict_inside_a_body_keeps_both_bodies() {
    let body = format!("Why\n{}", conflict("not?\n", None, "ever?\n"));
    let file = Thread::default().text().replace("Why?\n", &body);
    let comments = vec![("c1", 0, "Why\nnot?"), ("c1-2", 0, "Why\never?")];
    check(&file, &Thread { comments, ..Thread::default() });
}

#[test]
fn a_quoted_conflict_is_not_a_conflict() {
    let quotation = conflict("mine\n", None, "yours\n");
    let quoted = format!("Look:\n\n```\n{quotation}```\n");
    let file = Thread::default().text().replace("Why?\n", &quoted);
    assert_eq!(merge_conflict(file.as_bytes(), "t", STORE), None);
    assert_eq!(ReviewDoc::parse(file.clone().into_bytes(), "t", STORE).1, []);
    // A real conflict next to it is merged, and the quotation is kept.
    let tail = conflict(&comment("c2", 5, "One."), None, &comment("c3", 6, "Two."));
    let merged = merge_conflict((file.clone() + &tail).as_bytes(), "t", STORE).unwrap();
    let expected = file + &comment("c2", 5, "One.") + &comment("c3", 6, "Two.");
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), expected);
}

#[test]
fn a_conflict_in_prose_is_kept() {
    let prose = conflict("mine\n", None, "yours\n");
    let heading = "# src/a.rs:L5 \u{b7} open\n\n";
    let (file, both) = replies(false);
    let merged =
        merge_conflict(file.replace(heading, &format!("{heading}{prose}")).as_bytes(), "t", STORE);
    let merged = merged.unwrap();
    assert!(merged.conflicted);
    assert_eq!(conflict_count(&merged.bytes), 1);
    let expected = both.text().replace(heading, &format!("{heading}{prose}"));
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), expected);
}

#[test]
fn incomplete_conflicts_are_not_merged() {
    let text = Thread::default().text();
    for tail in
        ["", "<<<<<<< HEAD\n", ">>>>>>> topic\n", "<<<<<<< a\n=======\nb\n=======\n>>>>>>> c\n"]
    {
        assert_eq!(merge_conflict((text.clone() + tail).as_bytes(), "t", STORE), None, "{tail}");
    }
    let (file, _) = replies(false);
    assert_eq!(merge_conflict((file + "<<<<<<< HEAD\n").as_bytes(), "t", STORE), None);
}

//! Repairing threads that were edited by hand.

use skein_format::review::ReviewDoc;

use crate::merge::Thread;
use crate::show;

const STORE: &str = ".code-review";
const MARK: &str = "<local-code-review-comment";

/// Repairs a file; checks the diagnostics before and after, and that a second repair changes nothing.
#[track_caller]
fn check(file: &str, found: &[&str], left: &[&str], expected: &str) {
    let codes = |bytes: &[u8]| -> Vec<String> {
        let (_, findings) = ReviewDoc::parse(bytes.to_vec(), "t", STORE);
        findings.iter().map(|one| one.code.to_string()).collect()
    };
    assert_eq!(codes(file.as_bytes()), found);
    let (mut doc, _) = ReviewDoc::parse(file.as_bytes().to_vec(), "t", STORE);
    let now = skein_format::time::parse("2031-05-06T07:08:09Z").unwrap().time;
    let done = doc.repair(now);
    assert_eq!(String::from_utf8(doc.to_bytes().to_vec()).unwrap(), expected);
    assert_eq!(codes(doc.to_bytes()), left);
    assert_eq!(done.is_empty(), file == expected, "{done:?}");
    let (mut again, _) = ReviewDoc::parse(doc.to_bytes().to_vec(), "t", STORE);
    assert_eq!(show::review(&again), show::review(&doc));
    assert_eq!(again.repair(now), []);
}

fn thread() -> String {
    Thread::default().text()
}

#[test]
fn a_reply_that_does_not_update_the_thread_time_is_repaired() {
    let reply =
        format!("\n{MARK} id=\"c2\" author=\"Bo\" createdAt=\"2026-03-02T12:30:00Z\"/>\n\nSo.\n");
    let file = thread() + &reply;
    let repaired = Thread { updated: "12:30", ..Thread::default() }.text() + &reply;
    check(&file, &["review-updated-at-behind"], &[], &repaired);
}

#[test]
fn a_missing_final_newline_is_added() {
    let file = thread();
    check(file.trim_end(), &["review-no-final-newline"], &[], &file);
    let crlf = file.replace('\n', "\r\n");
    check(crlf.trim_end(), &["review-no-final-newline"], &[], &crlf);
    let none = Thread { comments: vec![], ..Thread::default() }.text();
    check(none.trim_end(), &[], &[], none.trim_end());
}

#[test]
fn duplicate_comment_ids_are_made_unique() {
    let comments = vec![("c1", 0, "Why?"), ("c1", 0, "So."), ("c1-2", 0, "Hm."), ("c1", 0, "Ha.")];
    let file = Thread { comments, ..Thread::default() }.text();
    let comments =
        vec![("c1", 0, "Why?"), ("c1-3", 0, "So."), ("c1-2", 0, "Hm."), ("c1-4", 0, "Ha.")];
    let repaired = Thread { comments, ..Thread::default() }.text();
    let twice = "review-comment-duplicate-id";
    check(&file, &[twice, twice], &[], &repaired);
}

#[test]
fn missing_attributes_of_a_marker_are_added() {
    let at = "createdAt=\"2026-03-02T10:00:00.000Z\"";
    let file = thread()
        + &format!("\n{MARK} author='Bo'/>\n\nSo.\n\n{MARK} id=\"\" createdAt=\"\" x='y'>\nHm.\n");
    let repaired = thread()
        + &format!(
            "\n{MARK} id=\"c2\" {at} author='Bo'/>\n\nSo.\n\n{MARK} id=\"c3\" {at} x='y'>\nHm.\n"
        );
    let (no_id, no_time) = ("review-comment-no-id", "review-comment-no-time");
    let no_author = "review-comment-no-author";
    check(&file, &[no_id, no_time, no_id, no_author, no_time], &[no_author], &repaired);
}

#[test]
fn values_that_cannot_be_read_are_not_guessed() {
    let file =
        thread() + &format!("\n{MARK} id=\"c2\" author=\"Bo\" createdAt=\"yesterday\"/>\n\nSo.\n");
    check(&file, &["review-comment-no-time"], &["review-comment-no-time"], &file);
    let file = thread() + &format!("\n{MARK}s>\n\nSo.\n");
    let found = ["review-comment-no-id", "review-comment-no-author", "review-comment-no-time"];
    check(&file, &found, &found, &file);
}

#[test]
fn a_marker_in_a_code_block_is_not_repaired() {
    let quoted = format!("Look:\n\n```\n{MARK} id=\"c1\" createdAt=\"2040-01-01\"/>\n```\n");
    let file = thread().replace("Why?\n", &quoted);
    let found = ["review-comment-no-author", "review-comment-duplicate-id"];
    check(&file, &found, &found, &file);
    // An unclosed block does not quote anything.
    let open = file.replace("```\n", "").replace("Look:\n", "```\nLook:\n");
    let (mut doc, _) = ReviewDoc::parse(open.into_bytes(), "t", STORE);
    assert_eq!(doc.repair(skein_format::time::Time::from_millis(0)).len(), 2);
}

#[test]
fn an_unusable_thread_is_not_repaired() {
    let broken = thread().replace("\"schemaVersion\": 1", "\"schemaVersion\": 2");
    check(
        broken.trim_end(),
        &["review-schema-version", "review-no-final-newline"],
        &["review-schema-version", "review-no-final-newline"],
        broken.trim_end(),
    );
}

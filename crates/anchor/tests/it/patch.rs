//! Patches that a thread stores.

use skein_anchor::apply_patch;

#[track_caller]
fn check(base: &str, patch: &str, expected: Option<&str>) {
    let applied = apply_patch(base.as_bytes(), patch);
    assert_eq!(applied.map(|text| String::from_utf8(text).unwrap()).as_deref(), expected);
}

const BASE: &str = "a\nb\nc\nd\ne\n";

#[test]
fn a_hunk_is_applied_at_the_line_in_its_header() {
    check(BASE, "@@ -2,3 +2,3 @@ fn f()\n b\n-c\n+C\n d\n", Some("a\nb\nC\nd\ne\n"));
    check(BASE, "@@ -3 +3,2 @@\n-c\n+C\n+CC\n", Some("a\nb\nC\nCC\nd\ne\n"));
}

#[test]
fn header_lines_are_ignored() {
    let patch =
        "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-a\n b\n";
    check(BASE, patch, Some("b\nc\nd\ne\n"));
}

#[test]
fn several_hunks_are_applied_in_order() {
    let patch = "@@ -1 +1 @@\n-a\n+A\n@@ -4,0 +5,1 @@\n+dd\n";
    check(BASE, patch, Some("A\nb\nc\nd\ndd\ne\n"));
}

#[test]
fn a_file_is_created_and_emptied() {
    check("", "@@ -0,0 +1,2 @@\n+a\n+b\n", Some("a\nb\n"));
    check("a\n", "@@ -1 +0,0 @@\n-a\n", Some(""));
}

#[test]
fn line_endings_are_those_of_the_base() {
    check("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", Some("A\r\nb\r\n"));
    check("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", Some("A\nb\n"));
}

#[test]
fn an_empty_context_line_may_lack_its_leading_space() {
    check("a\n\nb\n", "@@ -1,3 +1,3 @@\n-a\n+A\n\n b\n", Some("A\n\nb\n"));
}

#[test]
fn a_patch_that_does_not_match_is_not_applied() {
    check(BASE, "@@ -2,2 +2,1 @@\n-x\n c\n", None);
    check(BASE, "@@ -9,1 +9,1 @@\n-x\n+y\n", None);
    check(BASE, "@@ -2,2 +2,2 @@\n b\n", None);
    check(BASE, "@@ -1 +1 @@\n*a\n", None);
    check(BASE, "no hunk at all\n", None);
    check(BASE, "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", None);
}

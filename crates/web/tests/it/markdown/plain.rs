//! The first line of a comment as plain text.

use skein_web::markdown::plain;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(plain(text, 20), expected);
}

#[test]
fn the_first_line_has_no_markdown_syntax() {
    check("\n## **Why** `not` [a](b)?\nmore", "Why not a?");
    check("- one\n- two", "one");
    check("> quoted\n\nanswer", "quoted");
    check("a <b>c</b>\nd", "a <b>c</b>");
    check("![alt](x.png)", "alt");
    check("***\n\n<div>\na", "<div>");
    check("a <!-- b\nc -->", "a <!-- b c -->");
}

#[test]
fn text_is_preferred_to_code() {
    check("```suggestion\nlet a;\n```\nBetter?", "Better?");
    check("```rust\n\nlet a;\n```", "let a;");
    check("", "");
    check(" \n```\n```", "");
}

#[test]
fn a_long_line_is_cut() {
    check("12345678901234567890", "12345678901234567890");
    check("123456789012345678 01", "123456789012345678…");
    check(&"é".repeat(3_000), &format!("{}…", "é".repeat(19)));
    assert_eq!(plain("abc", 0), "…");
}

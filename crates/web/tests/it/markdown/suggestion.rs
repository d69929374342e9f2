//! Suggestions: lines that replace the commented ones.

use skein_highlight::Language;
use skein_web::markdown::html_for;

#[track_caller]
fn check(language: Option<Language>, text: &str, expected: &str) {
    assert_eq!(html_for(text, language).trim_end(), expected);
}

#[test]
fn a_suggestion_is_shown_as_added_lines() {
    check(
        None,
        "Try\n```suggestion\nlet a;\n\n<b>\n```",
        "<p>Try</p>\n<div class=\"suggestion\"><pre><code><ins>+let a;</ins>\n<ins>+</ins>\n\
         <ins>+&lt;b&gt;</ins>\n</code></pre></div>",
    );
}

#[test]
fn a_suggestion_is_highlighted_in_the_language_of_the_file() {
    check(
        Some(Language::Rust),
        "```suggestion\nlet a = \"b\nc\";\n```",
        "<div class=\"suggestion\"><pre><code><ins>+<i class=\"k\">let</i> a = <i class=\"s\">\"b</i></ins>\n\
         <ins>+<i class=\"s\">c\"</i>;</ins>\n</code></pre></div>",
    );
    check(Some(Language::Rust), "```\nlet a;\n```", "<pre><code>let a;\n</code></pre>");
}

#[test]
fn a_suggestion_without_lines_is_empty() {
    check(None, "```suggestion\n```", "<div class=\"suggestion\"><pre><code></code></pre></div>");
}

#[test]
fn invisible_characters_in_a_suggestion_are_shown() {
    check(
        None,
        "```suggestion\na\u{202e}b\n```",
        "<div class=\"suggestion\"><pre><code><ins>+a<u>\\u{202e}</u>b</ins>\n</code></pre></div>",
    );
}

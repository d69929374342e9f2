//! Blocks of code, and suggestions.

use skein_highlight::Language;

use crate::escape::escape_code;
use crate::highlighted;

/// The info string of a block that replaces the commented lines.
const SUGGESTION: &str = "suggestion";

/// Appends a block of code; `info` is the text after its fence, `language` that of the commented code.
pub(super) fn push_block(info: &str, text: &str, language: Option<Language>, html: &mut String) {
    let name = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    if name.eq_ignore_ascii_case(SUGGESTION) {
        html.push_str("<div class=\"suggestion\"><pre><code>");
        push_lines(text, language, ("<ins>+", "</ins>\n"), html);
        html.push_str("</code></pre></div>\n");
        return;
    }
    html.push_str("<pre><code>");
    match Language::named(name) {
        Some(language) => push_lines(text, Some(language), ("", "\n"), html),
        None => escape_code(text, html),
    }
    html.push_str("</code></pre>\n");
}

fn push_lines(
    text: &str,
    language: Option<Language>,
    (before, after): (&str, &str),
    html: &mut String,
) {
    let lines: Vec<&str> = text.lines().collect();
    let coloured = match language {
        Some(language) => skein_highlight::lines(language, &lines),
        None => vec![Vec::new(); lines.len()],
    };
    for (line, spans) in lines.iter().zip(&coloured) {
        html.push_str(before);
        highlighted::push_line(line, spans, html);
        html.push_str(after);
    }
}

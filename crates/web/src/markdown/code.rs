//! Blocks of code, and suggestions.

use crate::escape::escape;
use crate::highlighted;
use skein_highlight::Language;

/// The name of a block whose lines shall take the place of the commented ones.
const SUGGESTION: &str = "suggestion";

/// Appends a block of code with the words after its fence, on code of a language.
pub(super) fn block(info: &str, text: &str, language: Option<Language>, html: &mut String) {
    let name = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    if name.eq_ignore_ascii_case(SUGGESTION) {
        return suggestion(text, language, html);
    }
    html.push_str("<pre><code>");
    match Language::named(name) {
        Some(language) => each_line(text, Some(language), html, |line, html| {
            html.push_str(line);
            html.push('\n');
        }),
        None => escape(text, html),
    }
    html.push_str("</code></pre>\n");
}

fn suggestion(text: &str, language: Option<Language>, html: &mut String) {
    html.push_str("<div class=\"suggestion\"><pre><code>");
    each_line(text, language, html, |line, html| {
        html.extend(["<ins>+", line, "</ins>\n"]);
    });
    html.push_str("</code></pre></div>\n");
}

/// Hands over each line as HTML.
fn each_line(
    text: &str,
    language: Option<Language>,
    html: &mut String,
    append: impl Fn(&str, &mut String),
) {
    let lines: Vec<&str> = text.lines().collect();
    let coloured = match language {
        Some(language) => skein_highlight::lines(language, &lines),
        None => vec![Vec::new(); lines.len()],
    };
    let mut shown = String::new();
    for (line, spans) in lines.iter().zip(&coloured) {
        shown.clear();
        highlighted::push_line(line, spans, &mut shown);
        append(&shown, html);
    }
}

//! Coloured lines as HTML.

use crate::escape::escape_code;

use super::Span;

/// Appends a line, each of whose coloured parts is an element as `<i class="k">`, and in which everything can be seen.
pub fn html(line: &str, spans: &[Span], html: &mut String) {
    let mut at = 0;
    for Span { class, range } in spans {
        escape_code(line.get(at..range.start).unwrap_or_default(), html);
        html.extend(["<i class=\"", class.css(), "\">"]);
        escape_code(line.get(range.clone()).unwrap_or_default(), html);
        html.push_str("</i>");
        at = range.end;
    }
    escape_code(line.get(at..).unwrap_or_default(), html);
}

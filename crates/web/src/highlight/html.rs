//! Coloured lines as HTML.

use crate::escape::escape;

use super::Span;

/// Appends a line, each of whose coloured parts is an element as `<i class="k">`.
pub fn html(line: &str, spans: &[Span], html: &mut String) {
    let mut at = 0;
    for Span { class, range } in spans {
        escape(line.get(at..range.start).unwrap_or_default(), html);
        html.extend(["<i class=\"", class.css(), "\">"]);
        escape(line.get(range.clone()).unwrap_or_default(), html);
        html.push_str("</i>");
        at = range.end;
    }
    escape(line.get(at..).unwrap_or_default(), html);
}

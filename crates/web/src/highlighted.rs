//! Coloured lines as HTML.

use skein_highlight::ColouredSpan;

use crate::escape::escape_code;

/// Appends a line in which coloured parts are elements such as `<i class="k">`. Invisible characters are shown.
pub(crate) fn push_line(line: &str, spans: &[ColouredSpan], html: &mut String) {
    let mut at = 0;
    for ColouredSpan { class, range } in spans {
        escape_code(line.get(at..range.start).unwrap_or_default(), html);
        html.extend(["<i class=\"", class.css(), "\">"]);
        escape_code(line.get(range.clone()).unwrap_or_default(), html);
        html.push_str("</i>");
        at = range.end;
    }
    escape_code(line.get(at..).unwrap_or_default(), html);
}

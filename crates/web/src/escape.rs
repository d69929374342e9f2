//! Text as a part of HTML.

use skein_model::sanitize::hidden;

/// Appends a text so that it reads the same between tags and in an attribute in double quotes.
pub(crate) fn escape(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let mut chars = from.chars();
        html.push_str(before);
        html.push_str(match chars.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            _ => "&quot;",
        });
        rest = chars.as_str();
    }
    html.push_str(rest);
}

/// Appends code, in which characters that cannot be seen are shown by their numbers.
///
/// They could make a line look like another one.
pub(crate) fn escape_code(text: &str, html: &mut String) {
    let mut kept = 0;
    for (at, character) in hidden(text) {
        escape(text.get(kept..at).unwrap_or_default(), html);
        html.push_str("<u>");
        html.extend(character.escape_unicode());
        html.push_str("</u>");
        kept = at + character.len_utf8();
    }
    escape(text.get(kept..).unwrap_or_default(), html);
}

//! Escapes text for HTML.

use skein_model::sanitize::{escape_control, hidden};

/// Appends a text, escaped.
pub(crate) fn escape(text: &str, html: &mut String) {
    escape_chars(text, &['&', '<', '>'], html);
}

/// Appends the value of an attribute in double quotes, escaped.
pub(crate) fn escape_attribute(text: &str, html: &mut String) {
    escape_chars(text, &['&', '<', '>', '"'], html);
}

fn escape_chars(text: &str, chars: &[char], html: &mut String) {
    for part in text.split_inclusive(chars) {
        let mut rest = part.chars();
        let escaped = match rest.next_back() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') if chars.contains(&'"') => "&quot;",
            _ => {
                html.push_str(part);
                continue;
            }
        };
        html.extend([rest.as_str(), escaped]);
    }
}

/// Returns the name of a file as it is shown: on one line, and with invisible characters by their numbers, because they could make it look
/// like another one.
pub(crate) fn shown_name(name: &str) -> String {
    escape_control(name).replace('\n', "\\n").replace('\t', "\\t")
}

/// Appends text or code. Invisible characters are shown by their numbers, because they could make a line look like another one.
pub(crate) fn escape_code(text: &str, html: &mut String) {
    let mut from = 0;
    for (at, character) in hidden(text) {
        escape(text.get(from..at).unwrap_or_default(), html);
        html.push_str("<u>");
        html.extend(character.escape_unicode());
        html.push_str("</u>");
        from = at + character.len_utf8();
    }
    escape(text.get(from..).unwrap_or_default(), html);
}

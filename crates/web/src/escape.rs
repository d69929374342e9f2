//! Text as a part of HTML.

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
    let mut rest = text;
    while let Some(at) = rest.find(is_hidden) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let mut chars = from.chars();
        escape(before, html);
        html.push_str("<u>");
        html.extend(chars.next().into_iter().flat_map(char::escape_unicode));
        html.push_str("</u>");
        rest = chars.as_str();
    }
    escape(rest, html);
}

fn is_hidden(character: char) -> bool {
    let point = u32::from(character);
    (character.is_control() && character != '\t')
        || matches!(point, 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2069 | 0xfeff)
}

//! The attributes of a comment marker.

use crate::span::Span;

/// The locations of the attributes of the format, without their quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) id: Option<Span>,
    pub(super) author: Option<Span>,
    pub(super) created_at: Option<Span>,
    /// Where the tag ends; none if it has no `>`.
    pub(super) end: Option<usize>,
}

/// Reads the attributes of the tag in `span`, which starts after the tag's name.
///
/// Of duplicates, the first one is used. A quoted value may contain anything but its quote; other text
/// is skipped.
pub(super) fn read(bytes: &[u8], span: Span) -> Attributes {
    let mut found = Attributes::default();
    let mut at = span.start;
    while at < span.end {
        match bytes.get(at) {
            Some(b'>') => {
                found.end = Some(at + 1);
                break;
            }
            Some(byte) if is_name(*byte) => {
                let name = name_at(bytes, at, span.end);
                at = name.end;
                if let Some(value) = value_at(bytes, at, span.end) {
                    at = value.end + 1;
                    keep(&mut found, name.of(bytes), value);
                }
            }
            _ => at += 1,
        }
    }
    found
}

fn keep(found: &mut Attributes, name: &[u8], value: Span) {
    let slot = match name {
        b"id" => &mut found.id,
        b"author" => &mut found.author,
        b"createdAt" => &mut found.created_at,
        _ => return,
    };
    slot.get_or_insert(value);
}

fn name_at(bytes: &[u8], start: usize, end: usize) -> Span {
    let text = Span::new(start, end).of(bytes);
    let len = text.iter().take_while(|byte| is_name(**byte)).count();
    Span::new(start, start + len)
}

fn value_at(bytes: &[u8], from: usize, end: usize) -> Option<Span> {
    let equals = blank_from(bytes, from);
    if bytes.get(equals) != Some(&b'=') {
        return None;
    }
    let open = blank_from(bytes, equals + 1);
    let quote = *bytes.get(open).filter(|byte| b"\"'".contains(byte))?;
    let rest = bytes.get(open + 1..end)?;
    let len = memchr::memchr(quote, rest)?;
    Some(Span::new(open + 1, open + 1 + len))
}

fn blank_from(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.') || byte >= 0x80
}

/// Decodes the four entities, `&amp;` last.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Escapes a value for double quotes, on one line.
pub(super) fn escape(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tag: &str, expected: [&str; 3]) {
        let found = read(tag.as_bytes(), Span::new(0, tag.len()));
        let text =
            |span: Option<Span>| span.and_then(|span| tag.get(span.start..span.end)).unwrap_or("-");
        assert_eq!([text(found.id), text(found.author), text(found.created_at)], expected, "{tag}");
    }

    #[test]
    fn reads_only_attributes_with_exact_names() {
        check(r#" id="c1" author="You" createdAt="t"/>"#, ["c1", "You", "t"]);
        check(r#" reply-id="x" data-author="y" id = 'c1'/>"#, ["c1", "-", "-"]);
        check(r#" author="id=&quot;no&quot; > x" id="c1"/>"#, ["c1", "id=&quot;no&quot; > x", "-"]);
        check(r#" id="c1" id="c2"/>"#, ["c1", "-", "-"]);
        check(r#" id="c1/> author=x"#, ["-", "-", "-"]);
        check(r#" id=c1 author/ = "#, ["-", "-", "-"]);
        check(r#"/> id="late""#, ["-", "-", "-"]);
        check("", ["-", "-", "-"]);
    }

    #[test]
    fn escaping_is_undone_by_unescaping() {
        for text in ["a&b", "&amp;lt;", "\"<>\"", "&quot;", "plain"] {
            assert_eq!(unescape(&escape(text)), text);
        }
        assert_eq!(escape("a\nb\"/>"), "a b&quot;/&gt;");
    }
}

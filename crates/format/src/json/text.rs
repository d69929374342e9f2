//! Strings of a JSON document: their location and their text.

use std::borrow::Cow;

use crate::span::Span;
use crate::time::{self, Parsed};
use crate::utf8::lossy;

/// The location of a string, quotes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Str {
    /// From the opening quote to past the closing one.
    pub span: Span,
    /// Whether any escape occurs.
    pub escaped: bool,
}

/// The decoded text of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text; U+FFFD replaces what cannot be decoded.
    pub text: Cow<'a, str>,
    /// Whether anything was replaced: invalid UTF-8 or half of a surrogate pair.
    pub lossy: bool,
}

impl Str {
    /// Returns the string at `span`, which was read before.
    pub(crate) fn at(bytes: &[u8], span: Span) -> Self {
        Self { span, escaped: memchr::memchr(b'\\', span.of(bytes)).is_some() }
    }

    /// Returns the bytes between the quotes, undecoded.
    pub fn raw<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        Span::new(self.span.start + 1, self.span.end.saturating_sub(1)).of(bytes)
    }

    /// Decodes the string.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> DecodedText<'a> {
        let raw = self.raw(bytes);
        if self.escaped {
            return unescape(raw);
        }
        let text = lossy(raw);
        let lossy = matches!(text, Cow::Owned(_));
        DecodedText { text, lossy }
    }

    /// Decodes the string into an owned text.
    pub fn to_text(&self, bytes: &[u8]) -> String {
        self.decode(bytes).text.into_owned()
    }

    /// Reads the string as a time.
    pub fn time(&self, bytes: &[u8]) -> Option<Parsed> {
        time::parse(&self.decode(bytes).text)
    }

    /// Returns the decoded text as bytes, to compare keys.
    pub fn name<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.escaped {
            return Cow::Owned(self.to_text(bytes).into_bytes());
        }
        Cow::Borrowed(self.raw(bytes))
    }

    /// Returns whether the decoded text is `word`.
    pub fn is(&self, bytes: &[u8], word: &str) -> bool {
        self.name(bytes).as_ref() == word.as_bytes()
    }
}

/// Returns `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> Vec<u8> {
    serde_json::Value::from(text).to_string().into_bytes()
}

fn unescape(raw: &[u8]) -> DecodedText<'static> {
    let mut out = Vec::with_capacity(raw.len());
    let mut lossy = false;
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (decoded, used) = escape(tail);
        lossy |= decoded.is_none();
        let mut utf8 = [0; 4];
        let decoded = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(decoded.encode_utf8(&mut utf8).as_bytes());
        rest = tail.get(used..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    let text = match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => {
            lossy = true;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    DecodedText { text: Cow::Owned(text), lossy }
}

/// Decodes the escape at the start of `tail`; none if it is half of a surrogate pair.
fn escape(tail: &[u8]) -> (Option<char>, usize) {
    let simple = match tail.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(tail),
        Some(byte) => char::from(*byte),
        None => return (None, 1),
    };
    (Some(simple), 2)
}

fn unicode(tail: &[u8]) -> (Option<char>, usize) {
    let Some(first) = hex(tail, 2) else {
        return (None, 2);
    };
    if let Some(plain) = char::from_u32(first) {
        return (Some(plain), 6);
    }
    let low = hex(tail, 8).filter(|low| (0xDC00..0xE000).contains(low));
    match low {
        Some(low) if first < 0xDC00 && tail.get(6..8) == Some(b"\\u") => {
            (char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)), 12)
        }
        _ => (None, 6),
    }
}

fn hex(tail: &[u8], at: usize) -> Option<u32> {
    let digits = std::str::from_utf8(tail.get(at..at + 4)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Dialect, Reader};

    fn check(json: &[u8], expected: &str, lossy: bool) {
        let mut reader = Reader::new(json, Span::new(0, json.len()), Dialect::Json);
        let text = reader.string().unwrap().decode(json);
        assert_eq!((text.text.as_ref(), text.lossy), (expected, lossy));
    }

    #[test]
    fn decodes_what_json_allows() {
        check(br#""plain""#, "plain", false);
        check(br#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz", false);
        check(br#""\u00e9\ud83d\ude00""#, "\u{e9}\u{1f600}", false);
    }

    #[test]
    fn reports_replaced_characters() {
        check(br#""x\ud800y""#, "x\u{fffd}y", true);
        check(br#""\ude00\ud83d""#, "\u{fffd}\u{fffd}", true);
        check(br#""\ud83dA""#, "\u{fffd}A", true);
        check(b"\"\xff\"", "\u{fffd}", true);
        check(b"\"\\n\xff\"", "\n\u{fffd}", true);
    }

    #[test]
    fn quotes_as_serde_json_does() {
        for text in ["", "a\"b\\c\n\r\t\u{8}\u{c}\u{1}\u{7f}", "\u{e9}\u{1f600}\u{2028}"] {
            assert_eq!(quote(text), serde_json::to_vec(text).unwrap());
        }
    }
}

//! A pull parser for JSON that reports the span of every value.
//!
//! It checks each byte once and never recurses on its input: open containers are kept on a stack, one byte each.

use super::text::Str;
use crate::span::{Span, line_of};

/// The accepted syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 8259.
    Json,
    /// JSON with comments and trailing commas, as in editors' settings files.
    Jsonc,
}

/// The kind of a value, known from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// The position of a syntax error, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct SyntaxError {
    /// The offset of the offending byte.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl SyntaxError {
    /// Returns the line of the error, counted from 1.
    pub fn line(&self, bytes: &[u8]) -> u32 {
        line_of(bytes, self.at)
    }
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads one value after another from a range of bytes.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
    dialect: Dialect,
}

impl<'a> Reader<'a> {
    /// Creates a reader of the bytes in `span`; offsets stay those of `bytes`.
    pub fn new(bytes: &'a [u8], span: Span, dialect: Dialect) -> Self {
        Self { bytes: bytes.get(..span.end).unwrap_or(bytes), pos: span.start, dialect }
    }

    /// Creates a reader of a JSON file; a byte order mark is skipped.
    pub fn document(bytes: &'a [u8]) -> Self {
        Self::new(bytes, super::content(bytes), Dialect::Json)
    }

    /// Returns the bytes up to the end of the range.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the offset of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// Continues at `to`; only complete values may be skipped.
    pub(crate) fn pass_to(&mut self, to: usize) {
        self.pos = to;
    }

    /// Skips white space and comments, and returns the next byte.
    pub(super) fn next_non_blank(&mut self) -> Result<Option<u8>> {
        self.space()?;
        Ok(self.byte())
    }

    /// Returns the kind of the next value.
    #[inline]
    pub fn peek(&mut self) -> Result<JsonKind> {
        self.space()?;
        match self.byte() {
            Some(b'n') => Ok(JsonKind::Null),
            Some(b't' | b'f') => Ok(JsonKind::Bool),
            Some(b'"') => Ok(JsonKind::String),
            Some(b'[') => Ok(JsonKind::Array),
            Some(b'{') => Ok(JsonKind::Object),
            Some(b'-' | b'0'..=b'9') => Ok(JsonKind::Number),
            _ => Err(self.expected("a value")),
        }
    }

    /// Skips one value of any kind and returns its span.
    pub fn skip(&mut self) -> Result<Span> {
        self.space()?;
        let start = self.pos;
        let mut open = Vec::new();
        loop {
            let opened = self.open(&mut open)?;
            if !opened && self.close(&mut open)? {
                return Ok(Span::new(start, self.pos));
            }
        }
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> Result<Str> {
        self.space()?;
        if self.byte() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        self.quoted()
    }

    /// Reads the next value if it is a string; any other value is skipped.
    #[inline]
    pub fn string_or_skip(&mut self) -> Result<Option<Str>> {
        if self.peek()? == JsonKind::String {
            return self.string().map(Some);
        }
        self.skip().map(|_| None)
    }

    /// Reads an object; calls `each` for every key, with the reader at its value.
    ///
    /// A value that `each` does not read is skipped.
    pub fn object(&mut self, mut each: impl FnMut(&mut Self, Str) -> Result<()>) -> Result<Span> {
        self.space()?;
        let start = self.pos;
        self.expect(b'{', "an object")?;
        self.space()?;
        if self.eat(b'}') {
            return Ok(Span::new(start, self.pos));
        }
        loop {
            let key = self.key()?;
            self.value(|reader| each(reader, key))?;
            if self.ends(b'}')? {
                return Ok(Span::new(start, self.pos));
            }
        }
    }

    /// Reads an array; calls `each` with the reader at every element.
    pub fn array(&mut self, mut each: impl FnMut(&mut Self) -> Result<()>) -> Result<Span> {
        self.space()?;
        let start = self.pos;
        self.expect(b'[', "an array")?;
        self.space()?;
        if self.eat(b']') {
            return Ok(Span::new(start, self.pos));
        }
        loop {
            self.value(&mut each)?;
            if self.ends(b']')? {
                return Ok(Span::new(start, self.pos));
            }
        }
    }

    /// Checks that nothing but white space is left.
    pub fn finish(&mut self) -> Result<()> {
        self.space()?;
        if self.pos < self.bytes.len() {
            return Err(self.expected("the end of the text"));
        }
        Ok(())
    }

    fn value(&mut self, mut read: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.space()?;
        let before = self.pos;
        read(self)?;
        if self.pos == before {
            self.skip()?;
        }
        Ok(())
    }

    /// Reads a scalar, an empty container, or the start of a container; true if a value must follow.
    fn open(&mut self, open: &mut Vec<JsonKind>) -> Result<bool> {
        self.space()?;
        match self.byte() {
            Some(b'{') => {
                self.pos += 1;
                self.space()?;
                if self.eat(b'}') {
                    return Ok(false);
                }
                open.push(JsonKind::Object);
                self.key()?;
                Ok(true)
            }
            Some(b'[') => {
                self.pos += 1;
                self.space()?;
                if self.eat(b']') {
                    return Ok(false);
                }
                open.push(JsonKind::Array);
                Ok(true)
            }
            Some(b'"') => self.quoted().map(|_| false),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            _ => Err(self.expected("a value")),
        }
    }

    /// Reads what follows a value: closing brackets, or a comma and the next key; true if the outermost value is complete.
    fn close(&mut self, open: &mut Vec<JsonKind>) -> Result<bool> {
        while let Some(kind) = open.last().copied() {
            let is_object = kind == JsonKind::Object;
            if self.ends(if is_object { b'}' } else { b']' })? {
                open.pop();
                continue;
            }
            if is_object {
                self.key()?;
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads a comma or the closing byte; true if the container has ended.
    #[inline]
    fn ends(&mut self, closing: u8) -> Result<bool> {
        self.space()?;
        if self.eat(closing) {
            return Ok(true);
        }
        self.expect(b',', if closing == b'}' { "`,` or `}`" } else { "`,` or `]`" })?;
        if self.dialect == Dialect::Jsonc {
            self.space()?;
            return Ok(self.eat(closing));
        }
        Ok(false)
    }

    #[inline]
    fn key(&mut self) -> Result<Str> {
        self.space()?;
        if self.byte() != Some(b'"') {
            return Err(self.expected("a key in double quotes"));
        }
        let key = self.quoted()?;
        self.space()?;
        self.expect(b':', "`:` after the key")?;
        Ok(key)
    }

    fn quoted(&mut self) -> Result<Str> {
        let start = self.pos;
        let mut at = start + 1;
        let mut escaped = false;
        loop {
            at = plain_until(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at = self.escape(at)?;
                }
                Some(_) => {
                    return Err(SyntaxError { at, expected: "no control character here" });
                }
                None => {
                    return Err(SyntaxError { at: start, expected: "a closing quote" });
                }
            }
        }
        self.pos = at + 1;
        Ok(Str { span: Span::new(start, self.pos), escaped })
    }

    fn escape(&self, at: usize) -> Result<usize> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let digits = self.bytes.get(at + 2..at + 6).unwrap_or_default();
                if digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit) {
                    return Ok(at + 6);
                }
                Err(SyntaxError { at, expected: "four hexadecimal digits after `\\u`" })
            }
            _ => Err(SyntaxError { at, expected: "a known escape" }),
        }
    }

    fn literal(&mut self, word: &'static [u8]) -> Result<bool> {
        let found = self.bytes.get(self.pos..self.pos + word.len());
        if found != Some(word) {
            return Err(self.expected("a value"));
        }
        self.pos += word.len();
        Ok(false)
    }

    fn number(&mut self) -> Result<()> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        let before = self.pos;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == before { Err(self.expected("a digit")) } else { Ok(()) }
    }

    /// Skips white space and comments; most calls find none.
    #[inline]
    fn space(&mut self) -> Result<()> {
        match self.byte() {
            Some(b' ' | b'\n' | b'\r' | b'\t' | b'/') => self.blank(),
            _ => Ok(()),
        }
    }

    fn blank(&mut self) -> Result<()> {
        loop {
            self.pos = blank_until(self.bytes, self.pos);
            if self.dialect == Dialect::Json || self.byte() != Some(b'/') {
                return Ok(());
            }
            self.comment()?;
        }
    }

    fn comment(&mut self) -> Result<()> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        if rest.starts_with(b"//") {
            self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            return Ok(());
        }
        if rest.starts_with(b"/*") {
            let inside = rest.get(2..).unwrap_or_default();
            if let Some(end) = memchr::memmem::find(inside, b"*/") {
                self.pos += end + 4;
                return Ok(());
            }
        }
        Err(self.expected("a comment that ends"))
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    #[inline]
    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn expected(&self, expected: &'static str) -> SyntaxError {
        SyntaxError { at: self.pos, expected }
    }
}

/// Returns the offset of the first byte at or after `at` that is not white space.
fn blank_until(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);
    loop {
        // Most white space is indentation, so eight spaces are compared at once.
        if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            at += (u64::from_le_bytes(*chunk) ^ SPACES).trailing_zeros() as usize / 8;
        }
        if !matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            return at;
        }
        at += 1;
    }
}

/// Returns the offset of the first quote, backslash or control character at or after `at`.
///
/// It checks eight bytes at a time: most strings are too short for the vector code of `memchr` to be faster.
#[inline]
pub(crate) fn plain_until(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        // Sets the high bit of each byte that is below `limit`; a borrow can only affect bytes after such a byte.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH_BITS;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = below(word, 0x20) | equal(b'"') | equal(b'\\');
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;

    fn check(text: &str, dialect: Dialect, expected: &str) {
        let got = match validate(text.as_bytes(), dialect) {
            Ok(span) => format!("{}..{}", span.start, span.end),
            Err(error) => format!("{error} at {}", error.at),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn agrees_with_the_grammar() {
        check(" {\"a\": [1, -0.5e+3, true, null, \"x\\u00e9\\n\"]} ", Dialect::Json, "1..45");
        check("01", Dialect::Json, "expected the end of the text at 1");
        check("1.", Dialect::Json, "expected a digit at 2");
        check("[1,]", Dialect::Json, "expected a value at 3");
        check("{\"a\" 1}", Dialect::Json, "expected `:` after the key at 5");
        check("{'a':1}", Dialect::Json, "expected a key in double quotes at 1");
        check("\"a\nb\"", Dialect::Json, "expected no control character here at 2");
        check("\"\\x\"", Dialect::Json, "expected a known escape at 1");
        check("[1 2]", Dialect::Json, "expected `,` or `]` at 3");
        check("[1}", Dialect::Json, "expected `,` or `]` at 2");
        check("nul", Dialect::Json, "expected a value at 0");
        check("", Dialect::Json, "expected a value at 0");
    }

    #[test]
    fn editor_settings_may_have_comments_and_trailing_commas() {
        check("// a\n{ /* b */ \"a\": [1,], }", Dialect::Jsonc, "5..27");
        check("{} /* open", Dialect::Jsonc, "expected a comment that ends at 3");
        check("{ /* b */ }", Dialect::Json, "expected a key in double quotes at 2");
    }

    #[test]
    fn nesting_is_bounded_by_memory_only() {
        let deep = 3_000_000;
        let text = "[{\"a\":".repeat(deep) + "1" + &"}]".repeat(deep);
        assert_eq!(validate(text.as_bytes(), Dialect::Json).map(|span| span.end), Ok(text.len()));
        assert!(validate("[".repeat(deep).as_bytes(), Dialect::Json).is_err());
    }

    #[test]
    fn white_space_ends_at_the_first_other_byte() {
        let text = "  \n        \t\r\n  \n                  x".repeat(3);
        for from in 0..text.len() {
            let rest = text.get(from..).unwrap();
            let blank = rest.len() - rest.trim_ascii_start().len();
            assert_eq!(blank_until(text.as_bytes(), from), from + blank);
        }
        assert_eq!(blank_until(b"    ", 1), 4);
    }

    #[test]
    fn the_string_scan_stops_at_the_first_special_byte() {
        for filler in [b'a', 0x21, 0x80, 0xff, 0x7f] {
            for special in [b'"', b'\\', 0x1f, 0x00] {
                for at in 0..20 {
                    let mut bytes = vec![filler; 24];
                    bytes[at] = special;
                    bytes[22] = b'"';
                    assert_eq!(plain_until(&bytes, 0), at);
                }
            }
        }
    }
}

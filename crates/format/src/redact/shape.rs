//! What has to follow the start of a secret.

use super::judge::{is_random, is_sample, is_wordy};
use super::rules::{Flag, Name, Rule};
use super::{auth, command, name, url};
use crate::span::Span;

/// The characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chars {
    /// Decimal digits.
    Digit,
    /// Hexadecimal digits.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Capital letters, digits and `-`.
    UpperDash,
    /// Letters, digits, `_` and `-`.
    Word,
    /// [`Chars::Word`] and `.`.
    Dotted,
    /// [`Chars::Dotted`] and `~`.
    Tilde,
    /// [`Chars::Tilde`], `+`, `/` and `=`.
    Base64,
    /// [`Chars::Base64`] and `%`, as in the query of an address.
    Query,
    /// [`Chars::Query`] and `@`.
    UrlPath,
    /// Lines of base64.
    Lines,
}

impl Chars {
    pub(super) fn has(self, byte: u8) -> bool {
        let more: &[u8] = match self {
            Self::Digit => return byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Upper | Self::UpperDash if byte.is_ascii_lowercase() => return false,
            Self::Alnum | Self::Upper => b"",
            Self::UpperDash => b"-",
            Self::Word => b"_-",
            Self::Dotted => b"_-.",
            Self::Tilde => b"_-.~",
            Self::Base64 => b"_-.~+/=",
            Self::Query => b"_-.~+/=%",
            Self::UrlPath => b"_-.~+/=%@",
            Self::Lines => b"+/=\r\n",
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }

    /// Returns the end of the run of such characters that begins at `from`.
    pub(super) fn run(self, bytes: &[u8], from: usize) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| self.has(**byte)).count()
    }

    /// Returns the start of the run of such characters that ends at `to`; it is not longer than `max`.
    fn run_back(self, bytes: &[u8], to: usize, max: usize) -> usize {
        let before = bytes.get(..to).unwrap_or_default();
        to - before.iter().rev().take(max).take_while(|byte| self.has(**byte)).count()
    }

    pub(super) fn example(self, len: usize) -> String {
        let chars: &str = match self {
            Self::Digit => "7305918264",
            Self::Hex => "3f9a07c5e1d8b264",
            Self::Upper | Self::UpperDash => "K7QX3ZP9WB5TJ2",
            _ => "k7Qx3Zp9Wb5Tj2Rv8",
        };
        chars.chars().cycle().take(len).collect()
    }
}

/// A part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// At least so many characters.
    Run(Chars, usize),
    /// Exactly so many characters.
    Exact(Chars, usize),
    /// These characters.
    Lit(&'static str),
    /// A UUID.
    Uuid,
}

impl Part {
    /// Returns the end of the part that begins at `from`.
    fn end(self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        match self {
            Self::Run(chars, min) => {
                let end = chars.run(bytes, from);
                (end - from >= min).then_some(end)
            }
            Self::Exact(chars, len) => {
                let is_all = rest.get(..len)?.iter().all(|byte| chars.has(*byte));
                is_all.then_some(from + len)
            }
            Self::Lit(text) => rest.starts_with(text.as_bytes()).then_some(from + text.len()),
            Self::Uuid => is_uuid(rest.get(..UUID)?).then_some(from + UUID),
        }
    }

    pub(super) fn example(self) -> String {
        match self {
            Self::Run(chars, len) | Self::Exact(chars, len) => chars.example(len),
            Self::Lit(text) => text.to_owned(),
            Self::Uuid => "3f2504e0-4f89-41d3-9a0c-0305e82c3301".to_owned(),
        }
    }
}

const UUID: usize = 36;

/// How much of a text is judged; without a bound, texts that begin alike would be read again and again.
const JUDGED: usize = 256;

/// Returns whether the bytes are a UUID.
pub(super) fn is_uuid(bytes: &[u8]) -> bool {
    let is_dash = |at| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, &u8)| match is_dash(at) {
        true => *byte == b'-',
        false => byte.is_ascii_hexdigit(),
    };
    bytes.len() == UUID && bytes.iter().enumerate().all(fits)
}

/// What has to follow, and which part of it is the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// At least so many characters; the start is a part of the secret.
    Token(Chars, usize),
    /// The same, for a start that other texts have too: what follows must not be made of words.
    Mixed(Chars, usize),
    /// Several parts; the start is a part of the secret.
    Parts(&'static [Part]),
    /// So many characters before and at least so many behind, which are all the secret.
    Around(Chars, usize, Chars, usize),
    /// At least so many characters; the start is not a part of the secret.
    After(Chars, usize),
    /// A short word before and random characters behind.
    Prefixed,
    /// Parts with dots between them.
    Jwt,
    /// A key up to the line that ends it.
    Pem,
    /// Credentials before a host.
    Userinfo,
    /// A name with a value behind it.
    Name(Name),
    /// A header with a scheme and credentials.
    Authorization,
    /// A name whose value is `user:password` in base64.
    BasicValue,
    /// A scheme, and `user:password` in base64.
    Basic,
    /// A scheme, and a token.
    Bearer,
    /// A header with values of which one may be a secret.
    Cookie,
    /// An option of a command.
    Flag(Flag),
}

/// A place where the start of a rule was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<'a> {
    /// The text, from one mark of a replaced secret to the next.
    pub(super) bytes: &'a [u8],
    /// The start.
    pub(super) start: Span,
    /// The end of the secret before it; nothing is searched for before that.
    pub(super) floor: usize,
}

impl Hit<'_> {
    /// Returns whether the start is not in the middle of a word, unless the word before it is a secret of its own.
    fn is_fresh(&self) -> bool {
        let before = self.bytes.get(self.floor..self.start.start).unwrap_or_default();
        match before {
            [.., b'\\', b'n' | b'r' | b't'] => true,
            [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
            [.., b'-'] if self.start.of(self.bytes).contains(&b'_') => true,
            // Inside of base64 there is every start at some time.
            [.., byte] => !Chars::Word.has(*byte) && *byte != b'+',
            [] => true,
        }
    }
}

/// Returns the secret that a rule finds at a hit.
pub(super) fn secret(rule: &Rule, hit: Hit<'_>) -> Option<Span> {
    let Hit { bytes, start, .. } = hit;
    let run = |chars: Chars, min: usize| {
        let end = chars.run(bytes, start.end);
        (hit.is_fresh() && end - start.end >= min).then_some(end)
    };
    match rule.shape {
        Shape::Token(chars, min) => {
            let end = run(chars, min)?;
            let is_sample = is_sample(judged(bytes, start.end, end));
            (!is_sample).then_some(Span::new(start.start, end))
        }
        Shape::Mixed(chars, min) => {
            let near = bytes.get(..start.end + JUDGED).unwrap_or(bytes);
            let body = Span::new(start.end, chars.run(near, start.end)).of(near);
            let is_long = hit.is_fresh() && body.len() >= min;
            let is_secret = is_long && !is_wordy(body) && !is_sample(body);
            is_secret.then(|| Span::new(start.start, chars.run(bytes, start.end)))
        }
        Shape::After(chars, min) => {
            let end = chars.run(bytes, start.end);
            (end - start.end >= min).then_some(Span::new(start.end, end))
        }
        Shape::Parts(parts) => parts_of(parts, hit),
        Shape::Around(before, len, after, min) => around(hit, (before, len), (after, min)),
        Shape::Prefixed => prefixed(hit),
        Shape::Jwt => jwt(hit),
        Shape::Pem => pem(bytes, start),
        Shape::Userinfo => url::userinfo(bytes, start),
        Shape::Name(kind) => name::value(hit, kind),
        Shape::Authorization => auth::authorization(hit),
        Shape::BasicValue => auth::basic_value(hit),
        Shape::Basic => auth::basic(hit),
        Shape::Bearer => auth::bearer(hit),
        Shape::Cookie => auth::cookie(hit),
        Shape::Flag(flag) => command::value(hit, flag),
    }
}

/// Returns as much of a token as is judged.
fn judged(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    Span::new(from, to.min(from + JUDGED)).of(bytes)
}

fn parts_of(parts: &[Part], hit: Hit<'_>) -> Option<Span> {
    if !hit.is_fresh() {
        return None;
    }
    let end = parts.iter().try_fold(hit.start.end, |from, part| part.end(hit.bytes, from))?;
    let goes_on = hit.bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let is_sample = is_sample(judged(hit.bytes, hit.start.end, end));
    (!goes_on && !is_sample).then_some(Span::new(hit.start.start, end))
}

fn around(
    hit: Hit<'_>,
    (before, len): (Chars, usize),
    (after, min): (Chars, usize),
) -> Option<Span> {
    let Hit { bytes, start, floor } = hit;
    let from = before.run_back(bytes, start.start, len + 8).max(floor);
    let run = after.run(bytes, start.end);
    let is_long = start.start.saturating_sub(from) >= len && run - start.end >= min;
    // The rest of the word goes too, so that no word of its own is left over.
    let end = Chars::Alnum.run(bytes, run);
    (is_long && !is_sample(judged(bytes, from, end))).then_some(Span::new(from, end))
}

/// Finds tokens such as `acme_live_…`, whose service is not in the table.
fn prefixed(hit: Hit<'_>) -> Option<Span> {
    let Hit { bytes, start, floor } = hit;
    let from = Chars::Word.run_back(bytes, start.start, 16).max(floor);
    let vendor = Span::new(from, start.start).of(bytes);
    let is_vendor = (2..=12).contains(&vendor.len()) && !vendor.contains(&b'-');
    let end = Chars::Alnum.run(bytes, start.end);
    let body = Span::new(start.end, end).of(bytes);
    let body = body.get(..JUDGED).unwrap_or(body);
    let is_hex = body.iter().all(u8::is_ascii_hexdigit);
    (is_vendor && body.len() >= 20 && !is_hex && is_random(body)).then_some(Span::new(from, end))
}

/// Finds two to five parts with dots between them, as in signed and encrypted tokens.
fn jwt(hit: Hit<'_>) -> Option<Span> {
    let Hit { bytes, start, .. } = hit;
    let mut end = Chars::Word.run(bytes, start.end);
    if !hit.is_fresh() || end - start.start < 8 {
        return None;
    }
    let (mut parts, mut last) = (1, 0);
    while parts < 5 && bytes.get(end) == Some(&b'.') {
        let next = Chars::Word.run(bytes, end + 1);
        // Only the key of an encrypted token may be empty.
        if next == end + 1 && parts != 1 {
            break;
        }
        (last, end, parts) = (next - end - 1, next, parts + 1);
    }
    let is_signed = if parts == 2 { last >= 20 } else { parts > 2 && last >= 8 };
    is_signed.then_some(Span::new(start.start, end))
}

fn pem(bytes: &[u8], start: Span) -> Option<Span> {
    let rest = bytes.get(start.end..)?;
    let head_end = memchr::memmem::find(rest.get(..128).unwrap_or(rest), b"-----")?;
    let title = rest.get(..head_end)?;
    if !title.ends_with(b"PRIVATE KEY") && !title.ends_with(b"PRIVATE KEY BLOCK") {
        return None;
    }
    let tail = rest.get(head_end + 5..)?;
    let is_space = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'\\';
    let space = tail.iter().take_while(is_space).count();
    // A line end may be written as `\n`.
    let first = tail.get(space..)?.strip_prefix(b"n").filter(|_| space > 0);
    let first = first.unwrap_or(tail.get(space..)?).first();
    if !first.is_some_and(|byte| Chars::Base64.has(*byte) && *byte != b'-') {
        return None;
    }
    // A key that was cut off has no end: everything behind its start is taken for it.
    let end = memchr::memmem::find(tail, b"-----END ").map_or(tail.len(), |at| {
        let line = tail.get(at + 9..).unwrap_or_default();
        at + 9 + memchr::memmem::find(line, b"-----").map_or(line.len(), |dashes| dashes + 5)
    });
    Some(Span::new(start.start, start.end + head_end + 5 + end))
}

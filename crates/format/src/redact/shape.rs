//! What may follow the start of a secret.

use super::MARK;
use super::rules::Rule;
use crate::span::Span;

/// The characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chars {
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Letters, digits, `_`, `-`, `.`, `~`, `+`, `/` and `=`.
    Base64,
}

impl Chars {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(&byte),
        }
    }

    fn run(self, bytes: &[u8], from: usize) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| self.has(**byte)).count()
    }
}

/// How a secret goes on behind its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// At least so many characters; the start is part of the secret, and stands in exactly that case.
    Token(Chars, usize),
    /// At least so many characters; the start is no part of the secret.
    After(Chars, usize),
    /// Three parts with dots between them.
    Jwt,
    /// A key up to the line that ends it.
    Pem,
    /// Credentials in front of a host.
    Userinfo,
    /// A value behind `=` or `:`.
    Assignment,
}

/// Returns the secret whose start stands at `start`; `behind` is where the last one ended.
///
/// A secret does not start in the middle of a word, unless that word is a secret of its own.
pub(super) fn secret(
    rule: &Rule,
    bytes: &[u8],
    start: Span,
    behind: Option<usize>,
) -> Option<Span> {
    let exact = start.of(bytes) == rule.start.as_bytes();
    let inside = before(bytes, start.start).is_some_and(|byte| Chars::Word.has(byte));
    let fresh = !inside || behind == Some(start.start);
    match rule.shape {
        Shape::Token(chars, min) if exact && fresh => {
            let end = chars.run(bytes, start.end);
            (end - start.end >= min).then_some(Span::new(start.start, end))
        }
        Shape::After(chars, min) if fresh => {
            let end = chars.run(bytes, start.end);
            (end - start.end >= min).then_some(Span::new(start.end, end))
        }
        Shape::Jwt if exact && fresh => jwt(bytes, start),
        Shape::Pem if exact => pem(bytes, start),
        Shape::Userinfo => userinfo(bytes, start),
        Shape::Assignment => assignment(bytes, start, behind.unwrap_or_default()),
        _ => None,
    }
}

fn before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied()
}

fn jwt(bytes: &[u8], start: Span) -> Option<Span> {
    let mut end = start.start;
    for part in 0..3 {
        let from = end;
        end = Chars::Word.run(bytes, from);
        if end - from < 8 {
            return None;
        }
        if part < 2 {
            if bytes.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
        }
    }
    Some(Span::new(start.start, end))
}

fn pem(bytes: &[u8], start: Span) -> Option<Span> {
    let rest = bytes.get(start.end..)?;
    let head_end = memchr::memmem::find(rest, b"-----")?;
    let title = rest.get(..head_end)?;
    if !title.ends_with(b"PRIVATE KEY") && !title.ends_with(b"PRIVATE KEY BLOCK") {
        return None;
    }
    let tail = rest.get(head_end + 5..)?;
    // A key that was cut off has no end: everything behind its start is taken for it.
    let end = memchr::memmem::find(tail, b"-----END ").map_or(tail.len(), |at| {
        let line = tail.get(at + 9..).unwrap_or_default();
        at + 9 + memchr::memmem::find(line, b"-----").map_or(line.len(), |dashes| dashes + 5)
    });
    Some(Span::new(start.start, start.end + head_end + 5 + end))
}

/// Finds the credentials between `://` and the last `@` before the path.
fn userinfo(bytes: &[u8], start: Span) -> Option<Span> {
    let rest = bytes.get(start.end..)?;
    let stop = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'<>`|\\".contains(byte);
    let authority = rest.get(..rest.iter().position(stop).unwrap_or(rest.len()))?;
    let len = memchr::memrchr(b'@', authority).filter(|at| *at > 0)?;
    let scheme_start = bytes.get(..start.start)?;
    let web = scheme_start.ends_with(b"http") || scheme_start.ends_with(b"https");
    let user = authority.get(..len)?;
    let is_clean = memchr::memmem::find(user, MARK.as_bytes()).is_some();
    let is_secret = web || user.contains(&b':');
    (is_secret && !is_clean).then_some(Span::new(start.end, start.end + len))
}

/// How far a name may go on behind its telling part, and where a value must look like a secret.
///
/// Without bounds, a long line of nothing but names would be read once for each of them.
const NAME: usize = 64;
const VALUE: usize = 256;

/// Finds the value of `name = "value"` or `--name value`, where it has the look of something made up by a machine.
///
/// Behind `=` and the name of an option, or one that is shouted as variables of the environment are, nobody writes
/// prose: there a value needs no digit.
fn assignment(bytes: &[u8], start: Span, behind: usize) -> Option<Span> {
    let skip = |at: usize, of: &[u8]| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| of.contains(byte)).count()
    };
    let from = start.end;
    let name_end = Chars::Word.run(bytes.get(..from + NAME).unwrap_or(bytes), from);
    let shouted =
        Span::new(start.start, name_end).of(bytes).iter().all(|byte| !byte.is_ascii_lowercase());
    let option = is_option(bytes, behind, start.start);
    let (value, bare) = match bytes.get(name_end) {
        Some(b'=') if shouted || option => (skip(name_end + 1, b"\"'`"), true),
        Some(b' ') if option => (skip(skip(name_end + 1, b" "), b"\"'`"), false),
        _ => {
            let sign = skip(skip(name_end, b"\"'"), b" \t");
            if !matches!(bytes.get(sign), Some(b'=' | b':')) {
                return None;
            }
            (skip(skip(skip(sign + 1, b">="), b" \t"), b"\"'`"), false)
        }
    };
    let rest = bytes.get(value..)?;
    let head = rest.get(..VALUE).unwrap_or(rest);
    let head = head.get(..value_len(head))?;
    let letters = head.iter().any(u8::is_ascii_alphabetic);
    let digits = head.iter().any(u8::is_ascii_digit);
    let reference = head.first().is_some_and(|byte| b"$<{[(%*/.-".contains(byte));
    if head.len() < 8 || !letters || !(digits || bare) || reference {
        return None;
    }
    Some(Span::new(value, value + value_len(rest)))
}

/// Returns whether the name around `at` is that of an option, such as `--db-password`; no name goes back over `behind`.
fn is_option(bytes: &[u8], behind: usize, at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(NAME).max(behind)..at).unwrap_or_default();
    let word = before.iter().rev().take_while(|byte| Chars::Word.has(**byte)).count();
    before.get(before.len() - word..).is_some_and(|word| word.starts_with(b"--"))
}

fn value_len(rest: &[u8]) -> usize {
    let stop = |at: usize, byte: u8| match byte {
        b'[' => rest.get(at..).is_some_and(|rest| rest.starts_with(MARK.as_bytes())),
        _ => byte.is_ascii_whitespace() || b"\"'`,;)}>&|".contains(&byte),
    };
    (0..).zip(rest).find(|(at, byte)| stop(*at, **byte)).map_or(rest.len(), |(at, _)| at)
}

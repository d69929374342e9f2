//! Checks what follows the start of a secret.

use super::hit::Hit;
use super::judge::is_sample;
use super::look::{is_random, is_wordy};
use super::rules::{Chars, Part, Rule, Shape};
use super::{auth, command, url, value};
use crate::span::Span;

/// Number of bytes that are checked; without a limit, a text with many starts would be read again for each of them.
const CHECKED_LEN: usize = 256;

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
            let is_sample = is_sample(checked(bytes, start.end, end));
            (!is_sample).then_some(Span::new(start.start, end))
        }
        Shape::Mixed(chars, min) => {
            let near = bytes.get(..start.end + CHECKED_LEN).unwrap_or(bytes);
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
        Shape::Name(kind) => value::value(hit, kind),
        Shape::Authorization => auth::authorization(hit),
        Shape::BasicValue => auth::basic_value(hit),
        Shape::Basic => auth::basic(hit),
        Shape::Bearer => auth::bearer(hit),
        Shape::Cookie => auth::cookie(hit),
        Shape::Flag(flag) => command::value(hit, flag),
    }
}

/// Returns the part of a token that is checked.
fn checked(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    Span::new(from, to.min(from + CHECKED_LEN)).of(bytes)
}

fn parts_of(parts: &[Part], hit: Hit<'_>) -> Option<Span> {
    if !hit.is_fresh() {
        return None;
    }
    let end = parts.iter().try_fold(hit.start.end, |from, part| part.end(hit.bytes, from))?;
    let goes_on = hit.bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let is_sample = is_sample(checked(hit.bytes, hit.start.end, end));
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
    // The rest of the word is also part of the secret, so that no fragment is left.
    let end = Chars::Alnum.run(bytes, run);
    (is_long && !is_sample(checked(bytes, from, end))).then_some(Span::new(from, end))
}

/// Finds tokens such as `acme_live_…`, whose service is not in the table.
fn prefixed(hit: Hit<'_>) -> Option<Span> {
    let Hit { bytes, start, floor } = hit;
    let from = Chars::Word.run_back(bytes, start.start, 16).max(floor);
    let vendor = Span::new(from, start.start).of(bytes);
    let is_vendor = (2..=12).contains(&vendor.len()) && !vendor.contains(&b'-');
    let end = Chars::Alnum.run(bytes, start.end);
    let body = Span::new(start.end, end).of(bytes);
    let body = body.get(..CHECKED_LEN).unwrap_or(body);
    let is_hex = body.iter().all(u8::is_ascii_hexdigit);
    (is_vendor && body.len() >= 20 && !is_hex && is_random(body)).then_some(Span::new(from, end))
}

/// Finds two to five parts separated by dots, as in signed and encrypted tokens.
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

/// Number of bytes of the first line of a key that are looked at.
const MAX_KEY_LINE_LEN: usize = 64;

/// Returns whether the text after the first line of a private key is a key.
fn is_key_text(tail: &[u8]) -> bool {
    // Lines may be indented, quoted as in a mail or a comment, and removed or added by a diff.
    let is_margin = |byte: &&u8| byte.is_ascii_whitespace() || b"\\>|#*".contains(*byte);
    let margin = tail.iter().take_while(is_margin).count();
    let text = tail.get(margin..).unwrap_or_default();
    // A line end may be written as `\n`.
    let text = if margin > 0 { text.strip_prefix(b"n").unwrap_or(text) } else { text };
    let is_removed_line = margin > 0 && text.first() == Some(&b'-') && text.get(1) != Some(&b'-');
    let text = if is_removed_line { text.get(1..).unwrap_or_default() } else { text };
    let line = text.get(..MAX_KEY_LINE_LEN).unwrap_or(text);
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_left_out = line.trim_ascii().iter().all(|byte| *byte == b'.');
    let begins = text.first().is_some_and(|byte| Chars::Base64.has(*byte) && *byte != b'-');
    begins && !is_left_out
}

fn pem(bytes: &[u8], start: Span) -> Option<Span> {
    let rest = bytes.get(start.end..)?;
    let head_end = memchr::memmem::find(rest.get(..128).unwrap_or(rest), b"-----")?;
    let title = rest.get(..head_end)?;
    if !title.ends_with(b"PRIVATE KEY") && !title.ends_with(b"PRIVATE KEY BLOCK") {
        return None;
    }
    let tail = rest.get(head_end + 5..)?;
    if !is_key_text(tail) {
        return None;
    }
    // A truncated key has no end line: everything after its start is part of the secret.
    let end = memchr::memmem::find(tail, b"-----END ").map_or(tail.len(), |at| {
        let line = tail.get(at + 9..).unwrap_or_default();
        at + 9 + memchr::memmem::find(line, b"-----").map_or(line.len(), |dashes| dashes + 5)
    });
    Some(Span::new(start.start, start.end + head_end + 5 + end))
}

//! Credentials in headers.

use super::hit::Hit;
use super::judge::{is_basic, is_one_of, is_reference};
use super::look::{Look, is_random, is_wordy};
use super::rules::Chars;
use crate::span::Span;

/// Number of bytes of a header that are searched for credentials.
const MAX_HEADER_LEN: usize = 1024;

/// Number of bytes of a value that are compared with words.
const CHECKED_LEN: usize = 256;

/// The schemes that are followed by a secret.
const SCHEMES: &str = "\
    basic bearer token apikey api-key key bot ssws geniekey oauth splunk dsn jwt zoho-oauthtoken klaviyo-api-key \
    sso-key deepl-auth-key negotiate ntlm flyv1";

/// Finds the credentials after the scheme of `Authorization: scheme …`, or after the colon if there is no scheme.
pub(super) fn authorization(hit: Hit<'_>) -> Option<Span> {
    let from = separator_end(hit.bytes, hit.start.end)?;
    let line = line(hit.bytes, from);
    let scheme =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let spaces = line.get(scheme..)?.iter().take_while(|byte| **byte == b' ').count();
    let is_signed = memchr::memmem::find(line, b"ignature=").is_some();
    if is_signed && spaces > 0 {
        return Some(Span::new(from + scheme + spaces, from + line.len()));
    }
    let (skip, is_known) = match spaces {
        0 => (0, false),
        _ => (scheme + spaces, is_scheme(line.get(..scheme)?)),
    };
    let value = word(line.get(skip..)?);
    let look = Look::new(value);
    let is_mixed = look.letters > 0 && look.digits > 0;
    let is_secret = match (is_known, spaces) {
        (true, _) => value.len() >= 8 && (is_mixed || value.len() >= 16),
        (false, 0) => is_random(value) || is_mixed && value.len() >= 12 && look.symbols == 0,
        (false, _) => is_random(value),
    };
    let found = Span::new(from + skip, from + skip + value.len());
    (is_secret && !is_reference(value) && !value.contains(&b'(')).then_some(found)
}

fn is_scheme(word: &[u8]) -> bool {
    is_one_of(SCHEMES, &word.to_ascii_lowercase())
}

/// Returns the start of the value after a name, quotes and a separator.
fn separator_end(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let len = rest.iter().take(16).take_while(|byte| b"\"'`\\] \t:=,>(".contains(byte)).count();
    let between = rest.get(..len)?;
    between.iter().any(|byte| b":=,".contains(byte)).then_some(from + len)
}

/// Returns the rest of the line or of the quoted text.
fn line(bytes: &[u8], from: usize) -> &[u8] {
    let rest = bytes.get(from..).unwrap_or_default();
    let len =
        rest.iter().take(MAX_HEADER_LEN).take_while(|byte| !b"\"'`\n\r\\".contains(byte)).count();
    rest.get(..len).unwrap_or_default()
}

fn word(line: &[u8]) -> &[u8] {
    let len = line.iter().take_while(|byte| !byte.is_ascii_whitespace() && !b",;)}".contains(byte));
    line.get(..len.count()).unwrap_or_default()
}

/// Finds the value of `"auth"` in the settings of Docker, or of `_auth` in those of npm.
///
/// It is `user:password` in base64, where the password may have any characters.
pub(super) fn basic_value(hit: Hit<'_>) -> Option<Span> {
    let before = hit.start.start.checked_sub(1).and_then(|at| hit.bytes.get(at))?;
    if !b"\"'_".contains(before) {
        return None;
    }
    let from = match hit.bytes.get(hit.start.end) {
        // `npm config set //registry/:_auth VALUE`
        Some(b' ') if *before == b'_' => hit.start.end + 1,
        _ => separator_end(hit.bytes, hit.start.end)?,
    };
    let span = Span::new(from, Chars::Base64.run(hit.bytes, from));
    let value = span.of(hit.bytes);
    let is_encoded = value.len() >= 20 && !is_wordy(value.get(..CHECKED_LEN).unwrap_or(value));
    (is_basic(value) || is_encoded).then_some(span)
}

/// Finds the value of `Basic …`.
pub(super) fn basic(hit: Hit<'_>) -> Option<Span> {
    let span = Span::new(hit.start.end, Chars::Base64.run(hit.bytes, hit.start.end));
    is_basic(span.of(hit.bytes)).then_some(span)
}

/// Finds the value of `Bearer …`.
pub(super) fn bearer(hit: Hit<'_>) -> Option<Span> {
    let span = Span::new(hit.start.end, Chars::Base64.run(hit.bytes, hit.start.end));
    let value = span.of(hit.bytes);
    let is_secret = value.len() >= 16 && (Look::new(value).digits > 0 || is_random(value));
    is_secret.then_some(span)
}

/// Finds the part of a cookie header from the first to the last value that looks random.
pub(super) fn cookie(hit: Hit<'_>) -> Option<Span> {
    let mut found: Option<Span> = None;
    let mut from = hit.start.end;
    for part in line(hit.bytes, from).split(|byte| *byte == b';') {
        let at = memchr::memchr(b'=', part).map_or(0, |at| at + 1);
        let value = word(part.get(at..)?);
        if is_random(value) {
            let start = found.map_or(from + at, |found| found.start);
            found = Some(Span::new(start, from + at + value.len()));
        }
        from += part.len() + 1;
    }
    found
}

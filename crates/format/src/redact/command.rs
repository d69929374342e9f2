//! Secrets in the options of commands.

use super::hit::Hit;
use super::judge::{is_placeholder, is_reference};
use super::look::Look;
use super::rules::Flag;
use crate::span::Span;

/// The maximum distance in bytes between a command and its option.
const MAX_DISTANCE: usize = 512;

/// Finds the secret after an option, if the command expects a secret there.
pub(super) fn value(hit: Hit<'_>, flag: Flag) -> Option<Span> {
    let before = command_before(hit)?;
    let has = |command: &&str| memchr::memmem::find(before, command.as_bytes()).is_some();
    let rest = hit.bytes.get(hit.start.end..)?;
    let space = rest.iter().take_while(|byte| b" =".contains(byte)).count();
    let is_wanted = match flag {
        Flag::User => ["curl"].iter().any(has),
        Flag::Redis => ["redis-cli"].iter().any(has),
        Flag::Password if space == 0 => ["mysql", "mariadb", "sshpass"].iter().any(has),
        Flag::Password => ["sshpass", " login ", "mongo"].iter().any(has),
    };
    if !is_wanted {
        return None;
    }
    let span = argument(hit.bytes, hit.start.end + space)?;
    let span = if flag == Flag::User { password(hit.bytes, span)? } else { span };
    let secret = span.of(hit.bytes);
    let is_shown = is_reference(secret) || is_placeholder(secret) || secret.starts_with(b"-");
    (secret.len() >= 3 && !is_shown).then_some(span)
}

/// Returns the password of `user:password`, which may be quoted on its own, or else a user that is a token.
fn password(bytes: &[u8], user: Span) -> Option<Span> {
    let text = user.of(bytes);
    if is_reference(text) || text.starts_with(b"<") {
        return None;
    }
    let colon = memchr::memchr(b':', text)?;
    let from = user.start + colon + 1;
    let look = Look::new(text.get(..colon)?);
    match bytes.get(from) {
        Some(b'"' | b'\'') if from == user.end && bytes.get(user.start - 1) != bytes.get(from) => {
            argument(bytes, from)
        }
        _ if from == user.end => {
            let is_token = look.len >= 8 && look.letters > 0 && look.digits > 0;
            is_token.then_some(Span::new(user.start, user.start + colon))
        }
        _ => Some(Span::new(from, user.end)),
    }
}

/// Returns the part of a command before an option; lines may be joined by a backslash.
fn command_before(hit: Hit<'_>) -> Option<&[u8]> {
    let before = hit.bytes.get(hit.floor..=hit.start.start)?;
    let before = before.get(before.len().saturating_sub(MAX_DISTANCE)..)?;
    let mut from = before.len();
    while let Some(end) = memchr::memrchr(b'\n', before.get(..from)?) {
        if !before.get(..end)?.ends_with(b"\\") {
            return before.get(end + 1..);
        }
        from = end;
    }
    Some(before)
}

/// Returns the argument that begins at `from`, without its quotes.
fn argument(bytes: &[u8], from: usize) -> Option<Span> {
    let rest = bytes.get(from..)?;
    let quote = rest.first().copied().filter(|byte| b"\"'".contains(byte));
    let from = from + usize::from(quote.is_some());
    let rest = bytes.get(from..)?;
    let is_end = |byte: &u8| match quote {
        Some(quote) => *byte == quote || *byte == b'\n',
        None => byte.is_ascii_whitespace() || b"\"'`;|&)".contains(byte),
    };
    let len = rest.iter().position(is_end).unwrap_or(rest.len());
    Some(Span::new(from, from + len))
}

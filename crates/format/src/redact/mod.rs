//! Replaces secrets in texts that Skein writes and shows.
//!
//! It never changes source, diffs, suggestions or comments: that would falsify a review.

mod auth;
mod automaton;
mod command;
mod evaluate;
mod hit;
mod invisible;
mod json;
mod judge;
mod look;
mod name;
mod rules;
mod services;
mod url;
mod value;

use std::borrow::Cow;

use crate::span::Span;
use automaton::{Starts, starts};
use hit::Hit;
use invisible::VisibleText;
pub use json::redact_json;
pub use rules::{Chars, Flag, Name, Part, Rule, Shape};
use rules::{RuleRow, STRUCTURES};
use services::SERVICES;

/// A part of a text that looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretSpan {
    /// The name of its rule.
    pub rule: &'static str,
    /// The part to replace.
    pub span: Span,
}

/// Start of the text that replaces a secret.
const MARK: &str = "[REDACTED:";

/// Maximum number of passes over a text; more would take long and rarely find more.
const MAX_PASSES: usize = 8;

/// Returns every rule.
pub fn rules() -> impl Iterator<Item = Rule> + Clone {
    STRUCTURES.iter().chain(SERVICES).flat_map(RuleRow::rules)
}

/// Finds the parts that look like secrets, from left to right.
///
/// Characters that are not visible do not hide a secret: it is also searched for without them.
pub fn find(text: &str) -> Vec<SecretSpan> {
    let secrets = find_as_written(text);
    match VisibleText::new(text) {
        Some(visible) => visible.merge(secrets),
        None => secrets,
    }
}

fn find_as_written(text: &str) -> Vec<SecretSpan> {
    let starts = starts(text.len());
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(mark) = next_mark(text, from) {
        find_between(starts, text, Span::new(from, mark.start), &mut found);
        from = mark.end;
    }
    find_between(starts, text, Span::new(from, text.len()), &mut found);
    found
}

/// Finds the secrets between two marks, ignoring all other text, so that a mark is never part of another secret.
fn find_between(starts: &Starts, text: &str, part: Span, found: &mut Vec<SecretSpan>) {
    let bytes = part.of(text.as_bytes());
    let (mut from, mut floor) = (0, 0);
    while let Some((start, rules)) = starts.next(bytes, from) {
        let hit = Hit { bytes, start, floor };
        let secret = rules.iter().find_map(|rule| {
            let span = evaluate::secret(rule, hit)?;
            // A secret must begin and end at a character boundary.
            let is_whole = text.is_char_boundary(part.start + span.start)
                && text.is_char_boundary(part.start + span.end);
            (is_whole && span.start >= floor && !span.is_empty()).then_some((rule.name, span))
        });
        from = start.start + 1;
        if let Some((rule, span)) = secret {
            (from, floor) = (span.end, span.end);
            let span = Span::new(part.start + span.start, part.start + span.end);
            found.push(SecretSpan { rule, span });
        }
    }
}

/// Returns the next mark of a replaced secret.
fn next_mark(text: &str, from: usize) -> Option<Span> {
    let mut from = from;
    loop {
        let start = from + memchr::memmem::find(text.as_bytes().get(from..)?, MARK.as_bytes())?;
        from = start + MARK.len();
        let name = text.as_bytes().get(from..)?;
        let is_name =
            |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-';
        let len = name.iter().take_while(is_name).count();
        if name.get(len) == Some(&b']') {
            return Some(Span::new(start, from + len + 1));
        }
    }
}

/// Replaces the parts that look like secrets with `[REDACTED:rule]`; a second call changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, find).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Redacts an owned text.
pub fn redacted(text: String) -> String {
    match redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// Replaces the secrets that `find` returns, until it returns none; none if there is nothing to replace.
fn replaced(text: &str, find: impl Fn(&str) -> Vec<SecretSpan>) -> Option<String> {
    let mut clean: Option<String> = None;
    for _ in 0..MAX_PASSES {
        let text = clean.as_deref().unwrap_or(text);
        let found = find(text);
        if found.is_empty() {
            break;
        }
        clean = Some(marked(text, &found));
    }
    clean
}

/// Why the text around secrets can be sliced.
const VALID_SPANS: &str =
    "secrets are in order, inside of the text, and begin and end with a character";

fn marked(text: &str, found: &[SecretSpan]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in found {
        out.push_str(text.get(from..secret.span.start).expect(VALID_SPANS));
        out.push_str(MARK);
        out.push_str(secret.rule);
        out.push(']');
        from = secret.span.end;
    }
    out.push_str(text.get(from..).expect(VALID_SPANS));
    out
}

/// Removes credentials, query and fragment from the URL of a remote.
///
/// The credentials end at the last `@` before the path; the user of `git@host:path` is not a credential.
pub fn redact_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return redact(url).into_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = authority.rsplit_once('@').and_then(|(user, _)| user.split(':').next());
    let user = if scheme == "ssh" && name == Some("git") { "git@" } else { "" };
    // The path itself may be the secret, as in the address of a webhook.
    redacted(format!("{scheme}://{user}{host}{path}"))
}

#[cfg(test)]
mod tests;

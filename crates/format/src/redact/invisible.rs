//! Secrets that are split by characters that are not visible.

use super::{SecretSpan, find_as_written};
use crate::span::Span;

/// A text without the characters that are not visible.
pub(super) struct VisibleText {
    text: String,
    /// For each removed character the offset in `text` at which it was, and the length of it and all before it.
    removed: Vec<(usize, usize)>,
}

impl VisibleText {
    /// Removes the characters that are not visible; none if there are none.
    pub(super) fn new(text: &str) -> Option<Self> {
        if text.is_ascii() || !text.contains(is_invisible) {
            return None;
        }
        let mut visible = Self { text: String::with_capacity(text.len()), removed: Vec::new() };
        let mut removed_len = 0;
        for char in text.chars() {
            if is_invisible(char) {
                removed_len += char.len_utf8();
                visible.removed.push((visible.text.len(), removed_len));
            } else {
                visible.text.push(char);
            }
        }
        Some(visible)
    }

    /// Adds the secrets of this text to those that were found in the original one.
    pub(super) fn merge(&self, mut secrets: Vec<SecretSpan>) -> Vec<SecretSpan> {
        secrets.extend(
            find_as_written(&self.text)
                .into_iter()
                .map(|secret| SecretSpan { span: self.original(secret.span), ..secret }),
        );
        secrets.sort_by_key(|secret| (secret.span.start, secret.span.end));
        let mut merged: Vec<SecretSpan> = Vec::new();
        for secret in secrets {
            match merged.last_mut() {
                Some(last) if secret.span.start < last.span.end => {
                    last.span.end = last.span.end.max(secret.span.end);
                }
                _ => merged.push(secret),
            }
        }
        merged
    }

    /// Returns the span in the original text, without removed characters at its start and end.
    fn original(&self, span: Span) -> Span {
        let removed_before = |offset: usize, is_end: bool| {
            let count =
                self.removed.partition_point(|(at, _)| *at < offset || *at == offset && !is_end);
            let last = count.checked_sub(1).and_then(|last| self.removed.get(last));
            last.map_or(0, |(_, len)| *len)
        };
        Span::new(
            span.start + removed_before(span.start, false),
            span.end + removed_before(span.end, true),
        )
    }
}

/// Returns whether a character takes no room and is not a part of a secret.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

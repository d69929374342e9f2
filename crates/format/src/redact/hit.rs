//! A place where a secret may begin.

use super::rules::Chars;
use crate::span::Span;

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
    pub(super) fn is_fresh(&self) -> bool {
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

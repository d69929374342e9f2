//! A place where a secret may begin.

use super::rules::Chars;
use crate::span::Span;

/// A place where the start of a rule was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<'a> {
    /// The text, from one mark of a replaced secret to the next.
    pub(super) bytes: &'a [u8],
    /// The location of the start.
    pub(super) start: Span,
    /// The end of the previous secret; text before it is not searched.
    pub(super) floor: usize,
}

impl Hit<'_> {
    /// Returns whether the start is not in the middle of a word; the end of the previous secret ends a word.
    pub(super) fn is_fresh(&self) -> bool {
        let before = self.bytes.get(self.floor..self.start.start).unwrap_or_default();
        match before {
            [.., b'\\', b'n' | b'r' | b't'] => true,
            [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
            [.., b'-'] if self.start.of(self.bytes).contains(&b'_') => true,
            // Any start may occur by chance inside of base64.
            [.., byte] => !Chars::Word.has(*byte) && *byte != b'+',
            [] => true,
        }
    }
}

//! Byte ranges of a document, and their replacement.

use std::ops::Range;

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span; an end before the start gives an empty one.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the bytes that the span covers.
    ///
    /// # Panics
    ///
    /// If the span is not inside of the bytes, which is a bug: an edit would change the wrong bytes.
    pub fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes
            .get(self.start..self.end)
            .expect("a span is inside of the bytes that it was read from")
    }

    /// Returns whether the span covers no byte.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Returns the number of bytes covered.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// Replaces the bytes of `span` by `with`; every other byte stays.
pub fn splice(bytes: &mut Vec<u8>, span: Span, with: &[u8]) {
    bytes.splice(span.start..span.end, with.iter().copied());
}

/// Returns the line number, counted from 1, of the byte at `at`.
pub fn line_of(bytes: &[u8], at: usize) -> u32 {
    let before = bytes.get(..at.min(bytes.len())).unwrap_or_default();
    let breaks = memchr::memchr_iter(b'\n', before).count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}

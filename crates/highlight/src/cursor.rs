//! A position in a line, and the colours of the text before it.

use std::ops::Range;

use super::{Class, ColouredSpan};

/// A position in a line, and the colours of the text before it.
///
/// It reads bytes, and is always on a character boundary.
pub(crate) struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
    spans: Vec<ColouredSpan>,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(line: &'t str) -> Self {
        Self { bytes: line.as_bytes(), at: 0, spans: Vec::new() }
    }

    pub(crate) fn into_spans(self) -> Vec<ColouredSpan> {
        self.spans
    }

    /// Returns the offset of the cursor from the start of the line.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the length of the line.
    pub(crate) const fn end(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) const fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the byte under the cursor, or zero at the end.
    pub(crate) fn byte(&self) -> u8 {
        self.ahead(0)
    }

    /// Returns the byte `count` bytes ahead, or zero after the end.
    pub(crate) fn ahead(&self, count: usize) -> u8 {
        self.bytes.get(self.at + count).copied().unwrap_or(0)
    }

    /// Returns the byte `count` bytes back, or zero before the start.
    pub(crate) fn behind(&self, count: usize) -> u8 {
        self.at.checked_sub(count).and_then(|at| self.bytes.get(at)).copied().unwrap_or(0)
    }

    /// Returns the rest of the line.
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Returns the text between an earlier position and the cursor.
    pub(crate) fn since(&self, from: usize) -> &'t [u8] {
        self.bytes.get(from..self.at).unwrap_or_default()
    }

    /// Returns the text before the cursor.
    pub(crate) fn before(&self) -> &'t [u8] {
        self.before_place(self.at)
    }

    /// Returns the text before an earlier position.
    pub(crate) fn before_place(&self, place: usize) -> &'t [u8] {
        self.bytes.get(..place).unwrap_or_default()
    }

    /// Returns whether the rest begins with a text. For a few bytes this is faster than
    /// `starts_with`.
    pub(crate) fn sees(&self, text: &str) -> bool {
        let rest = self.rest();
        text.len() <= rest.len() && text.bytes().zip(rest).all(|(sought, &byte)| sought == byte)
    }

    /// Skips `count` bytes and the rest of a partial character, up to the end of the line.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
        while matches!(self.byte(), 0x80..0xc0) {
            self.at += 1;
        }
    }

    /// Skips to the first byte for which `is_one` is false.
    pub(crate) fn skip_while(&mut self, is_one: impl Fn(u8) -> bool) {
        let rest = self.rest();
        self.at += rest.iter().position(|&byte| !is_one(byte)).unwrap_or(rest.len());
    }

    /// Moves back to read the line again. Nothing may have been painted since `place`.
    pub(crate) const fn back_to(&mut self, place: usize) {
        self.at = place;
    }

    pub(crate) fn skip_blank(&mut self) {
        self.skip_while(is_blank);
    }

    pub(crate) fn skip_all(&mut self) {
        self.at = self.bytes.len();
    }

    /// Skips to a text, or to the end if it does not occur; returns whether it occurs.
    pub(crate) fn skip_to(&mut self, text: &[u8]) -> bool {
        match position(self.rest(), text) {
            Some(count) => {
                self.skip(count);
                true
            }
            None => {
                self.skip_all();
                false
            }
        }
    }

    /// Returns the distance to the end of a text.
    pub(crate) fn distance_past(&self, text: &[u8]) -> Option<usize> {
        Some(position(self.rest(), text)? + text.len())
    }

    /// Colours the text between an earlier position and the cursor.
    pub(crate) fn paint(&mut self, from: usize, class: Class) {
        self.paint_range(from..self.at, class);
    }

    /// Colours a range after all previous ones.
    pub(crate) fn paint_range(&mut self, range: Range<usize>, class: Class) {
        if range.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.class == class && last.range.end == range.start => {
                last.range.end = range.end;
            }
            _ => self.spans.push(ColouredSpan { class, range }),
        }
    }

    /// Skips `count` bytes and colours them.
    pub(crate) fn take(&mut self, count: usize, class: Class) {
        let from = self.at;
        self.skip(count);
        self.paint(from, class);
    }

    /// Colours everything to the end of the line.
    pub(crate) fn take_all(&mut self, class: Class) {
        self.take(self.bytes.len(), class);
    }

    /// Reads up to `end` with another scanner.
    pub(crate) fn within(&mut self, end: usize, scan: impl FnOnce(&mut Self)) {
        let whole = self.bytes;
        self.bytes = whole.get(..end).unwrap_or(whole);
        scan(self);
        self.at = end.min(whole.len());
        self.bytes = whole;
    }
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Returns whether a byte may be part of a name in most languages. Non-ASCII characters count as
/// letters.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    loop {
        let rest = haystack.get(from..)?;
        let at = rest.iter().position(|&byte| byte == first)?;
        if rest.get(at..)?.starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
}

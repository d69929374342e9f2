//! The damaged lines of a file.

use crate::span::Span;

/// The damaged lines, counted while the file is scanned.
#[derive(Default)]
pub(super) struct Damage {
    lines: Vec<u32>,
    counted: usize,
    breaks: u32,
}

impl Damage {
    /// Maximum number of lines; a hostile file may have damage on every line.
    const LIMIT: usize = 1000;

    /// Records the line of `at`, which must not be before the last recorded one.
    pub(super) fn note(&mut self, bytes: &[u8], at: usize) {
        let passed = Span::new(self.counted, at).of(bytes);
        let breaks = memchr::memchr_iter(b'\n', passed).count();
        self.breaks = self.breaks.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.counted = self.counted.max(at);
        let line = self.breaks.saturating_add(1);
        if self.lines.last() != Some(&line) && self.lines.len() < Self::LIMIT {
            self.lines.push(line);
        }
    }

    /// Returns whether no damage was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the lines, in order.
    pub(super) fn into_lines(self) -> Vec<u32> {
        self.lines
    }
}

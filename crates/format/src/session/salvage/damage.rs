//! Where a file is damaged.

use crate::span::Span;

/// The lines, counted on the way through the file.
#[derive(Default)]
pub(super) struct Damage {
    lines: Vec<u32>,
    counted: usize,
    breaks: u32,
}

impl Damage {
    /// The number of lines that are kept; a hostile file has one on every line.
    const LIMIT: usize = 1000;

    /// Notes the line of `at`, which must not be before the last one noted.
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

    /// Returns whether nothing was noted.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the lines, in order.
    pub(super) fn into_lines(self) -> Vec<u32> {
        self.lines
    }
}

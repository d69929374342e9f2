//! Changes of one document that are applied together.

use crate::span::Span;

/// Byte ranges and their replacements; ranges must not overlap.
///
/// The texts share one buffer: a map of a hundred thousand entries may have as many changes.
#[derive(Debug, Default)]
pub(crate) struct Splices {
    changes: Vec<(Span, Span)>,
    texts: Vec<u8>,
}

impl Splices {
    /// Records a change.
    pub(crate) fn replace(&mut self, at: Span, with: &[u8]) {
        let start = self.texts.len();
        self.texts.extend_from_slice(with);
        self.changes.push((at, Span::new(start, self.texts.len())));
    }

    /// Returns whether there is nothing to change.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the document with the changes applied; each byte is copied once.
    pub(crate) fn apply(mut self, bytes: &[u8]) -> Vec<u8> {
        self.changes.sort_by_key(|(at, _)| at.start);
        let removed: usize = self.changes.iter().map(|(at, _)| at.len()).sum();
        let mut out = Vec::with_capacity((bytes.len() + self.texts.len()).saturating_sub(removed));
        let mut done = 0;
        for (at, text) in &self.changes {
            out.extend_from_slice(Span::new(done, at.start).of(bytes));
            out.extend_from_slice(text.of(&self.texts));
            done = at.end;
        }
        out.extend_from_slice(Span::new(done, bytes.len()).of(bytes));
        out
    }
}

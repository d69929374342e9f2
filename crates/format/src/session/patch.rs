//! Changes of one document that are made at once.

use std::iter::Peekable;
use std::slice;

use crate::span::{Span, splice};

/// Runs of bytes and what takes their place; no two may overlap.
///
/// The texts share one buffer: a map of a hundred thousand entries may have as many changes.
#[derive(Debug, Default)]
pub(super) struct Patch {
    changes: Vec<(Span, Span)>,
    texts: Vec<u8>,
}

impl Patch {
    /// Notes a change.
    pub(super) fn replace(&mut self, at: Span, with: &[u8]) {
        let start = self.texts.len();
        self.texts.extend_from_slice(with);
        self.changes.push((at, Span::new(start, self.texts.len())));
    }

    /// Returns whether there is nothing to change.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns whether nothing changes within a span.
    pub(super) fn spares(&self, span: Span) -> bool {
        self.changes.iter().all(|(at, _)| at.end < span.start || at.start > span.end)
    }

    /// Makes the changes.
    pub(super) fn apply(&mut self, bytes: &mut Vec<u8>) {
        // Up to here it is quicker to move the rest of the file each time than to copy all of it.
        const SPLICE_THRESHOLD: usize = 4;
        self.changes.sort_by_key(|(at, _)| at.start);
        if self.changes.len() > SPLICE_THRESHOLD {
            *bytes = self.copy(bytes);
            return;
        }
        for (at, text) in self.changes.iter().rev() {
            splice(bytes, *at, text.of(&self.texts));
        }
    }

    /// Writes the document anew, each byte being moved once.
    fn copy(&self, bytes: &[u8]) -> Vec<u8> {
        let gone: usize = self.changes.iter().map(|(at, _)| at.len()).sum();
        let mut out = Vec::with_capacity((bytes.len() + self.texts.len()).saturating_sub(gone));
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

/// Tells where things are once the changes are made, which must be in order.
pub(super) struct Moves<'p> {
    changes: Peekable<slice::Iter<'p, (Span, Span)>>,
    /// How many bytes were added before the last position, and how many went.
    come: usize,
    gone: usize,
    count: usize,
}

impl<'p> Moves<'p> {
    /// Follows the changes that a patch has made.
    pub(super) fn from_patch(patch: &'p Patch) -> Self {
        Self { changes: patch.changes.iter().peekable(), come: 0, gone: 0, count: 0 }
    }

    /// Returns where a position is, which is not before the last one that was asked for.
    ///
    /// What is added right at the position stands behind it.
    pub(super) fn position(&mut self, at: usize) -> usize {
        while let Some((from, to)) = self.changes.next_if(|(from, _)| from.start < at) {
            self.gone += from.len();
            self.come += to.len();
            self.count += 1;
        }
        at + self.come - self.gone
    }

    /// Returns how many changes were made before the last position.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns where a span is; a change within it moves its end.
    pub(super) fn span(&mut self, span: Span) -> Span {
        let start = self.position(span.start);
        Span::new(start, self.position(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_and_many_come_out_the_same() {
        for count in 0..9 {
            let mut bytes = b"0123456789abcdefghijklmnop".to_vec();
            let mut patch = Patch::default();
            for n in (0..count).rev() {
                patch.replace(Span::new(2 * n, 2 * n + n % 3), &b"<xyz>"[..n % 5]);
            }
            let copied = {
                patch.changes.sort_by_key(|(at, _)| at.start);
                patch.copy(&bytes)
            };
            patch.apply(&mut bytes);
            assert_eq!(bytes, copied, "{count}");
        }
    }
}

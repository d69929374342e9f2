//! Keeps the white space of an object or list that is rewritten.

use super::Value;
use crate::json::{eol_of, indent_at};
use crate::span::Span;

/// An object or list that is rewritten with its original white space.
pub(super) struct ValueShape<'a> {
    /// The white space before each item.
    gaps: Vec<&'a [u8]>,
    next: usize,
    out: Vec<u8>,
    count: usize,
    /// The white space before an added item.
    lead: Vec<u8>,
    pub(super) indent: Vec<u8>,
    pub(super) many_lines: bool,
    end: Vec<u8>,
}

impl<'a> ValueShape<'a> {
    /// Reads the white space of a container with items at these spans.
    pub(super) fn from_items(container: &Value<'a>, items: impl Iterator<Item = Span>) -> Self {
        let bytes = container.bytes;
        let mut gaps = Vec::new();
        let mut at = container.span.start + 1;
        for item in items {
            gaps.push(without_comma(Span::new(at, item.start).of(bytes)));
            at = item.end;
        }
        let end = Span::new(at, container.span.end.saturating_sub(1)).of(bytes).to_vec();
        let outer = indent_at(bytes, container.span.start);
        let many_lines = memchr::memchr(b'\n', bytes).is_some();
        let eol = eol_of(bytes);
        let (lead, end) = match gaps.last() {
            Some(lead) => (lead.to_vec(), end),
            None if many_lines => {
                ([eol, outer.as_slice(), b"  "].concat(), [eol, outer.as_slice()].concat())
            }
            None => (Vec::new(), Vec::new()),
        };
        let indent = match memchr::memrchr(b'\n', &lead) {
            Some(at) => lead.get(at + 1..).unwrap_or_default().to_vec(),
            None => outer,
        };
        Self { gaps, next: 0, out: Vec::new(), count: 0, lead, indent, many_lines, end }
    }

    /// Omits the next item.
    pub(super) fn skip(&mut self) {
        self.next += 1;
    }

    /// Writes the next item.
    pub(super) fn keep(&mut self, item: &[u8]) {
        // The first item that is kept gets the white space of the original first item.
        let which = if self.count == 0 { 0 } else { self.next };
        let gap = self.gaps.get(which).copied().unwrap_or_default();
        self.next += 1;
        self.push(gap, item);
    }

    /// Writes an added item.
    pub(super) fn add(&mut self, item: &[u8]) {
        let lead = std::mem::take(&mut self.lead);
        self.push(&lead, item);
        self.lead = lead;
    }

    /// Returns the container with its brackets.
    pub(super) fn close(self, open: u8, close: u8) -> Vec<u8> {
        let end = if self.count == 0 { Vec::new() } else { self.end };
        [&[open], self.out.as_slice(), &end, &[close]].concat()
    }

    fn push(&mut self, gap: &[u8], item: &[u8]) {
        if self.count > 0 {
            self.out.push(b',');
        }
        self.out.extend_from_slice(gap);
        self.out.extend_from_slice(item);
        self.count += 1;
    }
}

/// Returns the white space after the comma between two items.
fn without_comma(gap: &[u8]) -> &[u8] {
    match memchr::memchr(b',', gap) {
        Some(at) => gap.get(at + 1..).unwrap_or_default(),
        None => gap,
    }
}

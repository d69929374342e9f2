//! Comment markers inside of a fenced block.
//!
//! The format treats them as comments anyway. They are probably quoted text, which must not be
//! repaired.

use super::Layout;
use super::marker::COMMENT;
use crate::fence::Fence;
use crate::line::lines;
use crate::span::Span;

/// Returns for every comment whether its marker is in a block that is closed after it.
pub(super) fn quoted(bytes: &[u8], layout: &Layout) -> Vec<bool> {
    let mut found = Vec::with_capacity(layout.comments.len());
    let mut open: Option<(Fence<'_>, usize)> = None;
    for line in prose(bytes, layout) {
        if line.starts_with(COMMENT) {
            found.push(open.is_some());
        } else if let Some((fence, _)) = open {
            open = open.filter(|_| !fence.is_closed_by(line));
        } else {
            open = Fence::open(line).map(|fence| (fence, found.len()));
        }
    }
    // Markers in a block that is never closed are not quoted.
    let from = open.map_or(found.len(), |(_, from)| from);
    found.iter_mut().skip(from).for_each(|quoted| *quoted = false);
    found
}

/// Returns the lines after the metadata block, without the patch, whose fences have their own rules.
fn prose<'a>(bytes: &'a [u8], layout: &Layout) -> impl Iterator<Item = &'a [u8]> {
    let start = layout.preamble.start;
    let patch = layout.patch.as_ref().map(|patch| patch.block);
    let (before, after) = patch.map_or((start, start), |block| (block.start, block.end));
    let spans = [Span::new(start, before), Span::new(after, bytes.len())];
    spans.into_iter().flat_map(|span| lines(bytes, span)).map(|line| line.text.of(bytes))
}

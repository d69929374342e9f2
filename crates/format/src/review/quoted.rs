//! Comment markers inside of a fenced block.
//!
//! The format takes them for comments anyway. They are more likely to be quoted than meant, and
//! quoted text must not be repaired.

use super::Layout;
use super::marker::COMMENT;
use crate::fence::Fence;
use crate::line::lines;
use crate::span::Span;

/// Returns for every comment whether its marker is in a block that is closed behind it.
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
    // A block that is never closed quotes nothing.
    let from = open.map_or(found.len(), |(_, from)| from);
    found.iter_mut().skip(from).for_each(|quoted| *quoted = false);
    found
}

/// Returns the lines behind the metadata block, without the patch, whose fences have rules of their own.
fn prose<'a>(bytes: &'a [u8], layout: &Layout) -> impl Iterator<Item = &'a [u8]> {
    let start = layout.preamble.start;
    let patch = layout.patch.as_ref().map(|patch| patch.block);
    let (before, behind) = patch.map_or((start, start), |block| (block.start, block.end));
    let spans = [Span::new(start, before), Span::new(behind, bytes.len())];
    spans.into_iter().flat_map(|span| lines(bytes, span)).map(|line| line.text.of(bytes))
}

//! The patch snapshot: a marker line, then a fenced block of `diff` or `patch`.

use std::borrow::Cow;

use super::marker::{PATCH, places};
use crate::diagnostic::{Code, DiagnosticList};
use crate::fence::Fence;
use crate::line::{Line, lines};
use crate::span::{Span, line_of};
use crate::utf8::lossy_lines;

/// The location of the patch.
#[derive(Clone, Debug)]
pub(super) struct PatchSpan {
    /// The marker line with its end.
    pub(super) marker: Span,
    /// The fenced block, fences included; empty and directly after the marker if there is none.
    pub(super) block: Span,
    /// The lines between the fences.
    content: Span,
}

impl PatchSpan {
    /// Returns the patch with LF between its lines and without a final line end; none if the block is empty.
    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        if self.content.is_empty() {
            return None;
        }
        Some(match lossy_lines(self.content.of(bytes)) {
            Cow::Borrowed(text) => text.strip_suffix('\n').unwrap_or(text).into(),
            Cow::Owned(text) => text.strip_suffix('\n').unwrap_or(&text).to_owned().into(),
        })
    }
}

/// Finds the first patch in `preamble`, which ends where the comments start.
pub(super) fn read(
    bytes: &[u8],
    preamble: Span,
    findings: &mut DiagnosticList,
) -> Option<PatchSpan> {
    let line = marker_line(bytes, preamble)?;
    let marker = Span::new(line.text.start, line.next);
    let below = Span::new(marker.end, preamble.end);
    if let Some((block, content)) = block(bytes, below, findings) {
        return Some(PatchSpan { marker, block, content });
    }
    findings.push(
        Code::ReviewPatchNoFence,
        Some(line_of(bytes, marker.start)),
        "no block of `diff` follows the patch marker",
    );
    let none = Span::new(marker.end, marker.end);
    Some(PatchSpan { marker, block: none, content: none })
}

/// Finds the first line that starts with the marker.
fn marker_line(bytes: &[u8], preamble: Span) -> Option<Line> {
    let text = preamble.of(bytes);
    let starts_line = |at: &usize| *at == 0 || text.get(at - 1) == Some(&b'\n');
    let at = places(text, PATCH).find(starts_line)?;
    lines(bytes, Span::new(preamble.start + at, preamble.end)).next()
}

/// Finds the first block with the right language, skipping other blocks.
///
/// Returns the block and its content.
fn block(bytes: &[u8], below: Span, findings: &mut DiagnosticList) -> Option<(Span, Span)> {
    let mut rest = below;
    loop {
        let mut all = lines(bytes, rest);
        let (open, fence) = all.find_map(|line| Some((line, Fence::open(line.text.of(bytes))?)))?;
        let close = close_of(&fence, bytes, Span::new(open.next, below.end));
        if ![b"diff".as_slice(), b"patch"].contains(&fence.language()) {
            rest = Span::new(close?.next, below.end);
            continue;
        }
        let (block_end, content_end) = if let Some(close) = close {
            (close.next, close.text.start)
        } else {
            let line = line_of(bytes, open.text.start);
            findings.push(Code::ReviewPatchUnclosed, Some(line), "the patch block is not closed");
            let end = end_of_text(bytes, below);
            (end.max(open.text.end), end)
        };
        let block = Span::new(open.text.start, block_end);
        return Some((block, Span::new(open.next, content_end)));
    }
}

/// Returns the end of `span` without trailing line ends.
fn end_of_text(bytes: &[u8], span: Span) -> usize {
    let text = span.of(bytes);
    let ends = text.iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
    span.end - ends
}

/// Finds the first line of `inside` that closes the block.
///
/// Context lines of a patch start with a space, so only a fence in the first column closes the block:
/// ` ``` ` is a line of a reviewed Markdown file.
fn close_of(fence: &Fence<'_>, bytes: &[u8], inside: Span) -> Option<Line> {
    let text = inside.of(bytes);
    let starts = memchr::memchr_iter(fence.mark(), text)
        .filter(|at| *at == 0 || text.get(at - 1) == Some(&b'\n'));
    starts
        .filter_map(|at| lines(bytes, Span::new(inside.start + at, inside.end)).next())
        .find(|line| fence.is_closed_by(line.text.of(bytes)))
}

/// Returns a patch as a fenced block, which ends with a line end.
///
/// The fence has three backticks, because other programs support only those, unless a line of the patch
/// starts with three or more.
pub(super) fn fenced(patch: &str) -> String {
    let patch = patch.replace("\r\n", "\n").replace('\r', "\n");
    let longest = patch
        .split('\n')
        .map(|line| line.bytes().take_while(|byte| *byte == b'`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let patch = patch.strip_suffix('\n').unwrap_or(&patch);
    format!("{fence}diff\n{patch}\n{fence}\n")
}

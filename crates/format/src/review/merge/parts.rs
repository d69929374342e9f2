//! Splits a thread into parts, so that each can be merged by its own rules.

use crate::diagnostic::DiagnosticList;
use crate::line::Eol;
use crate::review::comment::CommentSpan;
use crate::review::head::ReviewMetadata;
use crate::review::patch::PatchSpan;
use crate::review::{Layout, metadata};
use crate::span::Span;

/// The parts of a usable thread, in the order of the file.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) head: ReviewMetadata,
    /// The text before the metadata block.
    pub(super) lead: Span,
    /// The metadata block with its tags.
    pub(super) block: Span,
    /// The JSON of the block.
    pub(super) root: Span,
    /// From the block to the first comment, without white space at its end.
    pub(super) prose: Span,
    pub(super) patch: Option<PatchSpan>,
    pub(super) comments: Vec<CommentSpan>,
}

impl<'a> Parts<'a> {
    /// Splits a thread into its parts; none if it cannot be used.
    pub(super) fn read(bytes: &'a [u8], stem: &str, store: &str) -> Option<Self> {
        let layout = Layout::read(bytes, stem, store, &mut DiagnosticList::default());
        let Layout { root, preamble, head, patch, comments } = layout;
        let root = root.filter(|_| head.usable)?;
        let (inside, end) = metadata::block(bytes)?;
        let opening = bytes.get(..inside.start.checked_sub(1)?)?;
        let start = memchr::memrchr(b'\n', opening).map_or(0, |newline| newline + 1);
        let kept = preamble.of(bytes).trim_ascii_end().len();
        Some(Self {
            bytes,
            head,
            lead: Span::new(0, start),
            block: Span::new(start, end),
            root,
            prose: Span::new(end, end + kept),
            patch,
            comments,
        })
    }

    /// Returns the span of comment `n` without trailing white space, and the span of that white space.
    pub(super) fn comment(&self, n: usize) -> Option<(Span, Span)> {
        let start = self.comments.get(n)?.marker.start;
        let next = self.comments.get(n + 1).map_or(self.bytes.len(), |next| next.marker.start);
        let kept = Span::new(start, next).of(self.bytes).trim_ascii_end().len();
        Some((Span::new(start, start + kept), Span::new(start + kept, next)))
    }

    /// Returns the white space between the prose and the first comment or the end.
    pub(super) fn gap(&self) -> &'a [u8] {
        let end = self.comments.first().map_or(self.bytes.len(), |first| first.marker.start);
        Span::new(self.prose.end, end).of(self.bytes)
    }

    /// Returns the white space at the end of the file.
    pub(super) fn end(&self) -> &'a [u8] {
        let kept = self.bytes.trim_ascii_end().len();
        self.bytes.get(kept..).unwrap_or_default()
    }
}

/// Bytes that are built from parts, each of which starts on its own line.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
    pub(super) eol: Eol,
}

impl Out {
    pub(super) fn new(eol: Eol) -> Self {
        Self { bytes: Vec::new(), eol }
    }

    /// Adds a part on a new line.
    pub(super) fn part(&mut self, part: &[u8]) {
        if !part.is_empty() {
            self.end_line();
            self.bytes.extend_from_slice(part);
        }
    }

    /// Ends the last line, if it is not ended.
    pub(super) fn end_line(&mut self) {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.extend_from_slice(self.eol.as_bytes());
        }
    }

    /// Adds a marker line of a conflict: seven signs and a label.
    pub(super) fn conflict_line(&mut self, sign: u8, label: &str) {
        self.end_line();
        self.bytes.extend([sign; 7]);
        if let Some(line) = label.split(char::is_control).next().filter(|line| !line.is_empty()) {
            self.bytes.push(b' ');
            self.bytes.extend_from_slice(line.as_bytes());
        }
        self.bytes.extend_from_slice(self.eol.as_bytes());
    }
}

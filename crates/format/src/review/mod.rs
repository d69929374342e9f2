//! Review threads: a Markdown file with a metadata block, a patch and comments.
//!
//! `docs/formats/review.md` defines the format.

mod attribute;
mod comment;
mod conflict;
mod conflict_merge;
mod create;
mod edit;
mod exchange;
mod hand_edits;
mod head;
mod heading;
pub mod legacy;
mod marker;
mod merge;
mod metadata;
mod patch;
mod quoted;
mod repair;
mod suggestion;
mod unique_ids;
mod validate;

pub use comment::{Comment, NewComment};
pub use conflict_merge::{conflict_count, merge_conflict};
pub use create::NewReview;
pub use edit::ReviewEditError;
pub use exchange::{AppliedNote, Exchange, Mention, RESOLVE_PROPOSAL};
pub use head::{Anchor, Context, GitAnchor, Range, ReviewMetadata, Status};
pub use merge::{MergedReview, merge};
pub use repair::Repaired;
pub use suggestion::{Suggestion, suggestion_block, suggestions};

use std::borrow::Cow;

use crate::diagnostic::{Code, Diagnostic, DiagnosticList};
use crate::span::Span;
use crate::time::Time;
use crate::utf8::is_valid;
use comment::CommentSpan;
use patch::PatchSpan;

/// A review thread: its bytes, and the locations of its parts.
#[derive(Clone, Debug)]
pub struct ReviewDoc {
    bytes: Vec<u8>,
    stem: String,
    store: String,
    layout: Layout,
}

/// A read-only review thread that borrows its bytes.
#[derive(Debug)]
pub struct ReviewRef<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

/// The locations of the parts in the bytes of a thread.
#[derive(Clone, Debug)]
struct Layout {
    /// The JSON object of the metadata block, if it is valid.
    root: Option<Span>,
    /// From the end of the metadata block to the first comment.
    preamble: Span,
    head: ReviewMetadata,
    patch: Option<PatchSpan>,
    comments: Vec<CommentSpan>,
}

impl ReviewDoc {
    /// Parses a thread; `stem` is the file's name without `.md`, `store` the store's path in the workspace.
    pub fn parse(bytes: Vec<u8>, stem: &str, store: &str) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = Layout::read(&bytes, stem, store, &mut findings);
        let doc = Self { bytes, stem: stem.to_owned(), store: store.to_owned(), layout };
        (doc, findings.into_list())
    }

    /// Returns the bytes of the document, with its edits.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Consumes the document and returns its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the metadata.
    pub fn head(&self) -> &ReviewMetadata {
        &self.layout.head
    }

    /// Returns the commented text with the lines around it, if the thread has them.
    pub fn context(&self) -> Option<Context> {
        self.layout.head.context(&self.bytes)
    }

    /// Returns the number of comments.
    pub fn comment_count(&self) -> usize {
        self.layout.comments.len()
    }

    /// Returns whether a comment has this id, as written.
    pub fn has_comment(&self, id: &str) -> bool {
        let bytes = &self.bytes;
        self.layout.comments.iter().any(|comment| comment.id(bytes) == Some(id.as_bytes()))
    }

    /// Returns the comments in the order of the file.
    pub fn comments(&self) -> Vec<Comment> {
        comments_of(&self.bytes, &self.layout)
    }

    /// Returns the patch snapshot, if the thread has one.
    pub fn patch(&self) -> Option<String> {
        self.layout.patch.as_ref().and_then(|patch| patch.text(&self.bytes)).map(Cow::into_owned)
    }
}

impl<'a> ReviewRef<'a> {
    /// Parses a thread like [`ReviewDoc::parse`], without taking the bytes.
    pub fn parse(bytes: &'a [u8], stem: &str, store: &str) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let layout = Layout::read(bytes, stem, store, &mut findings);
        (Self { bytes, layout }, findings.into_list())
    }

    /// Parses the metadata and the comments, for lists; returns only the diagnostics of the metadata, and skips the patch.
    pub fn parse_summary(bytes: &'a [u8], stem: &str, store: &str) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let (mut layout, end) = Layout::read_metadata(bytes, stem, store, &mut findings);
        layout.comments = comment::spans(bytes, end);
        (Self { bytes, layout }, findings.into_list())
    }

    /// Returns the metadata.
    pub fn head(&self) -> &ReviewMetadata {
        &self.layout.head
    }

    /// Consumes the thread and returns its metadata.
    pub fn into_head(self) -> ReviewMetadata {
        self.layout.head
    }

    /// Returns the number of comments.
    pub fn comment_count(&self) -> usize {
        self.layout.comments.len()
    }

    /// Returns the first line with text of the first comment.
    pub fn first_line(&self) -> Option<Cow<'a, str>> {
        self.layout.comments.first()?.first_line(self.bytes)
    }

    /// Returns the first line with text of the last comment.
    pub fn last_line(&self) -> Option<Cow<'a, str>> {
        self.layout.comments.last()?.first_line(self.bytes)
    }

    /// Returns the authors of the comments.
    pub fn authors(&self) -> impl DoubleEndedIterator<Item = Cow<'a, str>> + '_ {
        self.layout.comments.iter().map(|comment| comment.author(self.bytes))
    }

    /// Returns the bodies of the comments.
    pub fn bodies(&self) -> impl Iterator<Item = Cow<'a, str>> + '_ {
        self.layout.comments.iter().map(|comment| comment.text(self.bytes))
    }

    /// Returns when the last comment was written, if it has a time.
    pub fn last_created_at(&self) -> Option<Time> {
        self.layout.comments.last()?.time(self.bytes)
    }

    /// Returns the facts that decide whose turn it is.
    pub fn exchange(&self) -> Exchange<'a> {
        Exchange::new(self.bytes, &self.layout.comments)
    }

    /// Returns the code that was selected.
    pub fn selection(&self) -> Option<Cow<'a, str>> {
        Some(self.layout.head.context?.selection.decode(self.bytes).text)
    }

    /// Returns the patch.
    pub fn patch(&self) -> Option<Cow<'a, str>> {
        self.layout.patch.as_ref()?.text(self.bytes)
    }
}

/// Returns whether the metadata block is complete in the first bytes of a file.
///
/// A scan that needs only the metadata reads one page, and the rest only if this returns false.
pub fn has_whole_head(first: &[u8]) -> bool {
    // Without its line end, the closing tag may be the start of a longer line.
    metadata::block(first)
        .and_then(|(_, end)| first.get(..end))
        .is_some_and(|head| head.ends_with(b"\n"))
}

fn comments_of(bytes: &[u8], layout: &Layout) -> Vec<Comment> {
    let fallback = (layout.head.id.as_deref().unwrap_or_default(), layout.head.updated_at);
    layout.comments.iter().enumerate().map(|(n, at)| at.view(bytes, n, fallback)).collect()
}

impl Layout {
    fn read(bytes: &[u8], stem: &str, store: &str, findings: &mut DiagnosticList) -> Self {
        if !is_valid(bytes) {
            let message = "some bytes are not UTF-8; they are kept as they are";
            findings.push(Code::ReviewInvalidUtf8, None, message);
        }
        let (mut layout, end) = Self::read_metadata(bytes, stem, store, findings);
        let latest;
        (layout.comments, latest) = comment::read(bytes, end, findings);
        let first = layout.comments.first().map_or(bytes.len(), |comment| comment.marker.start);
        layout.preamble = Span::new(end, first);
        layout.patch = patch::read(bytes, layout.preamble, findings);
        hand_edits::check(bytes, &layout, latest, findings);
        layout
    }

    /// Reads the metadata only; also returns the offset where the block ends.
    fn read_metadata(
        bytes: &[u8],
        stem: &str,
        store: &str,
        findings: &mut DiagnosticList,
    ) -> (Self, usize) {
        let (block, end) = metadata::read(bytes, findings);
        let (root, head) = match block {
            Some((reading, root)) => (Some(root), reading.head(stem, store, findings)),
            None => (None, ReviewMetadata::unusable()),
        };
        let preamble = Span::new(end, bytes.len());
        (Self { root, preamble, head, patch: None, comments: Vec::new() }, end)
    }
}

//! A thread, read as far as a search needs it.

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::review::ReviewRef;
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::view::ThreadRow;

/// A thread, read as far as a search needs it: what a list or a page shows of it takes longer.
#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) id: &'a str,
    pub(super) content: Content<'a>,
    /// What its file holds.
    pub(super) bytes: &'a [u8],
}

/// What a thread says.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Review(Box<ReviewRef<'a>>),
    /// A review thread that is not submitted yet.
    Draft(Box<ReviewRef<'a>>),
    /// None where its file makes no sense.
    Checkpoint(Box<CheckpointDoc>),
    Session(&'a ThreadRow),
    /// Its file cannot be read.
    Unknown(Kind),
}

impl<'a> Thread<'a> {
    pub(super) fn review(id: &'a str, bytes: &'a [u8], store: &str) -> Self {
        let content = Content::Review(Box::new(ReviewRef::parse(bytes, id, store).0));
        Self { id, content, bytes }
    }

    pub(super) fn draft(id: &'a str, bytes: &'a [u8], store: &str) -> Self {
        let content = Content::Draft(Box::new(ReviewRef::parse(bytes, id, store).0));
        Self { id, content, bytes }
    }

    pub(super) fn checkpoint(id: &'a str, bytes: &'a [u8], form: CheckpointFileKind) -> Self {
        let (doc, _) = CheckpointDoc::parse(bytes.to_vec(), id, form);
        let content = Content::Checkpoint(Box::new(doc));
        Self { id, content, bytes }
    }

    pub(super) fn session(row: &'a ThreadRow) -> Self {
        Self { id: &row.id, content: Content::Session(row), bytes: &[] }
    }

    pub(super) fn unknown(id: &'a str, kind: Kind) -> Self {
        Self { id, content: Content::Unknown(kind), bytes: &[] }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.content {
            Content::Review(_) | Content::Draft(_) => Kind::Review,
            Content::Checkpoint(_) => Kind::Checkpoint,
            Content::Session(_) => Kind::Session,
            Content::Unknown(kind) => kind,
        }
    }

    /// Returns whether its file makes sense.
    pub(super) fn is_usable(&self) -> bool {
        match &self.content {
            Content::Review(review) | Content::Draft(review) => review.head().usable,
            Content::Checkpoint(doc) => doc.head().usable,
            Content::Session(row) => row.usable,
            Content::Unknown(_) => false,
        }
    }

    /// Returns when it was last changed.
    pub(super) fn updated_at(&self) -> Option<Time> {
        match &self.content {
            Content::Review(review) | Content::Draft(review) => review.head().updated_at,
            Content::Checkpoint(doc) => doc.head().updated_at,
            Content::Session(row) => row.updated_at.or(row.created_at),
            Content::Unknown(_) => None,
        }
    }

    /// Returns when it was last changed, in milliseconds; a thread without a time is the oldest.
    pub(super) fn time(&self) -> i64 {
        self.updated_at().map_or(i64::MIN, Time::as_millis)
    }
}

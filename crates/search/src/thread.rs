//! A thread, parsed as far as a search needs it.

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::review::ReviewRef;
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::view::ThreadRow;

/// A thread, parsed as far as a search needs it; parsing it completely takes longer.
#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) id: &'a str,
    pub(super) content: Content<'a>,
    /// The content of its file.
    pub(super) bytes: &'a [u8],
}

/// The part of a thread that most filters need.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadHead<'a> {
    pub(super) id: &'a str,
    pub(super) kind: Kind,
    /// The status in the file; `None` if a review thread is not usable.
    pub(super) status: Option<&'a str>,
    pub(super) is_usable: bool,
    pub(super) updated_at: Option<Time>,
}

impl ThreadHead<'_> {
    /// Returns when it was last changed, in milliseconds; the minimum if that is unknown.
    pub(super) fn time(&self) -> i64 {
        self.updated_at.map_or(i64::MIN, Time::as_millis)
    }
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Review {
        review: Box<ReviewRef<'a>>,
        /// Whether it is not submitted yet.
        is_draft: bool,
    },
    Checkpoint(Box<CheckpointDoc>),
    Session(&'a ThreadRow),
    /// Its file cannot be read.
    Unknown(Kind),
}

impl<'a> Thread<'a> {
    pub(super) fn review(id: &'a str, bytes: &'a [u8], store: &str, is_draft: bool) -> Self {
        let review = Box::new(ReviewRef::parse(bytes, id, store).0);
        Self { id, content: Content::Review { review, is_draft }, bytes }
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
            Content::Review { .. } => Kind::Review,
            Content::Checkpoint(_) => Kind::Checkpoint,
            Content::Session(_) => Kind::Session,
            Content::Unknown(kind) => kind,
        }
    }

    /// Returns whether its file can be used.
    pub(super) fn is_usable(&self) -> bool {
        match &self.content {
            Content::Review { review, .. } => review.head().usable,
            Content::Checkpoint(doc) => doc.head().usable,
            Content::Session(row) => row.usable,
            Content::Unknown(_) => false,
        }
    }

    pub(super) fn head(&self) -> ThreadHead<'_> {
        let status = match &self.content {
            Content::Review { is_draft: true, review } if review.head().usable => Some("draft"),
            Content::Review { review, .. } => {
                let head = review.head();
                head.usable.then(|| head.status.as_str())
            }
            Content::Checkpoint(doc) => doc.head().state(),
            Content::Session(row) => row.status.as_deref(),
            Content::Unknown(_) => None,
        };
        let (kind, is_usable) = (self.kind(), self.is_usable());
        ThreadHead { id: self.id, kind, status, is_usable, updated_at: self.updated_at() }
    }

    /// Returns when it was last changed.
    pub(super) fn updated_at(&self) -> Option<Time> {
        match &self.content {
            Content::Review { review, .. } => review.head().updated_at,
            Content::Checkpoint(doc) => doc.head().updated_at,
            Content::Session(row) => row.updated_at.or(row.created_at),
            Content::Unknown(_) => None,
        }
    }

    /// Returns when it was last changed, in milliseconds; the minimum if that is unknown.
    pub(super) fn time(&self) -> i64 {
        self.head().time()
    }
}

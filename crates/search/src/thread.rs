//! A thread, read as far as a search needs it.

use skein_format::checkpoint::{CheckpointFileKind, CheckpointTexts};
use skein_format::review::ReviewTexts;
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
    Review(Box<ReviewTexts<'a>>),
    /// A review thread that is not submitted yet.
    Draft(Box<ReviewTexts<'a>>),
    /// None where its file makes no sense.
    Checkpoint(Option<CheckpointTexts<'a>>, CheckpointFileKind),
    Session(&'a ThreadRow),
    /// Its file cannot be read.
    Unknown(Kind),
}

impl<'a> Thread<'a> {
    pub(super) fn review(id: &'a str, bytes: &'a [u8], store: &str) -> Self {
        let content = Content::Review(Box::new(ReviewTexts::parse(bytes, id, store)));
        Self { id, content, bytes }
    }

    pub(super) fn draft(id: &'a str, bytes: &'a [u8], store: &str) -> Self {
        let content = Content::Draft(Box::new(ReviewTexts::parse(bytes, id, store)));
        Self { id, content, bytes }
    }

    pub(super) fn checkpoint(id: &'a str, bytes: &'a [u8], form: CheckpointFileKind) -> Self {
        let content = Content::Checkpoint(CheckpointTexts::parse(bytes, id), form);
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
            Content::Checkpoint(..) => Kind::Checkpoint,
            Content::Session(_) => Kind::Session,
            Content::Unknown(kind) => kind,
        }
    }

    /// Returns whether its file makes sense.
    pub(super) fn is_usable(&self) -> bool {
        match &self.content {
            Content::Review(texts) | Content::Draft(texts) => texts.usable(),
            Content::Checkpoint(texts, _) => texts.is_some(),
            Content::Session(row) => row.usable,
            Content::Unknown(_) => false,
        }
    }

    /// Returns when it was last changed.
    pub(super) fn updated_at(&self) -> Option<Time> {
        match &self.content {
            Content::Review(texts) | Content::Draft(texts) => texts.updated_at(),
            Content::Checkpoint(texts, _) => texts.as_ref().and_then(CheckpointTexts::updated_at),
            Content::Session(row) => row.updated_at.or(row.created_at),
            Content::Unknown(_) => None,
        }
    }

    /// Returns when it was last changed, in milliseconds; a thread without a time is the oldest.
    pub(super) fn time(&self) -> i64 {
        self.updated_at().map_or(i64::MIN, Time::as_millis)
    }
}

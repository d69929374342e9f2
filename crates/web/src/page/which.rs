//! Which threads a list or a number is about. Every page counts with these.

use super::board::{IndexedThread, ThreadIndex};
use crate::request::QueryParams;

/// A choice of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Open,
    Reviewer,
    /// What waits on another person by name.
    Others,
    Agent,
    Drafts,
    Resolved,
    All,
}

impl Which {
    /// Reads the parameters of an address.
    pub(super) fn from_params(pairs: &QueryParams) -> Self {
        match (pairs.get("status"), pairs.get("waiting")) {
            (_, Some("reviewer")) => Self::Reviewer,
            (_, Some("others")) => Self::Others,
            (_, Some("agent")) => Self::Agent,
            (Some("draft"), _) => Self::Drafts,
            (Some("resolved"), _) => Self::Resolved,
            (Some("all"), _) => Self::All,
            _ => Self::Open,
        }
    }

    /// Returns whether a thread or a draft is meant; one that cannot be used never is.
    pub(crate) fn takes(self, note: &IndexedThread) -> bool {
        let is = |status: &str| note.row.status.as_deref() == Some(status);
        let waits_on = |whom: &str| is("open") && note.waiting_on() == Some(whom);
        note.row.usable
            && match self {
                Self::Open => is("open"),
                Self::Reviewer => waits_on("reviewer") && note.waits_on_reader,
                Self::Others => waits_on("reviewer") && !note.waits_on_reader,
                Self::Agent => waits_on("agent"),
                Self::Drafts => is("draft"),
                Self::Resolved => is("resolved"),
                Self::All => true,
            }
    }

    /// Counts the threads that are meant.
    pub(crate) fn count(self, board: &ThreadIndex) -> usize {
        board.notes.iter().filter(|note| self.takes(note)).count()
    }
}

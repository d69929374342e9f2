//! What is wrong with a query.

use std::ops::Range;

use thiserror::Error;

use super::{MAX_PIECES, MAX_QUERY_LEN};

/// A query that does not say what to look for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    /// A quote opens a phrase and nothing closes it.
    #[error("the quote that opens here is never closed")]
    Unclosed {
        /// From the quote to the end of the query.
        at: Range<usize>,
    },
    /// A minus stands alone.
    #[error("a minus needs a word right behind it, one that must not occur")]
    LoneMinus {
        /// The minus.
        at: Range<usize>,
    },
    /// A star stands alone.
    #[error("a star needs the beginning of a word in front of it")]
    LoneStar {
        /// The star.
        at: Range<usize>,
    },
    /// A piece has no letter and no digit.
    #[error("there is nothing to look for in `{piece}`: only letters and digits are searched")]
    Nothing {
        /// The piece.
        piece: String,
        /// Where it is.
        at: Range<usize>,
    },
    /// The query has too many bytes.
    #[error("the query is longer than {MAX_QUERY_LEN} bytes")]
    TooLong {
        /// What is too much.
        at: Range<usize>,
    },
    /// The query has too many pieces.
    #[error("the query has more than {MAX_PIECES} words, phrases and filters")]
    TooMany {
        /// What is too much.
        at: Range<usize>,
    },
}

impl QueryError {
    /// Returns the bytes of the query that are wrong.
    pub fn at(&self) -> Range<usize> {
        match self {
            Self::Unclosed { at }
            | Self::LoneMinus { at }
            | Self::LoneStar { at }
            | Self::Nothing { at, .. }
            | Self::TooLong { at }
            | Self::TooMany { at } => at.clone(),
        }
    }
}

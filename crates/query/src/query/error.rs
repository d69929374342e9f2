//! Errors in a query.

use std::ops::Range;

use thiserror::Error;

use super::{MAX_QUERY_LEN, MAX_TERMS};

/// A query that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct TermError {
    /// The byte range of the error in the query.
    pub at: Range<usize>,
    pub problem: TermProblem,
}

/// What is wrong with a part of a query.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TermProblem {
    #[error("the quote that opens here is never closed")]
    UnclosedQuote,
    #[error("a minus must be followed directly by the word to exclude")]
    LoneMinus,
    #[error("`*` must follow the start of a word")]
    LoneStar,
    /// The term has no letter and no digit.
    #[error("`{term}` has nothing to search for: only letters and digits are searched")]
    NoWord { term: String },
    #[error("the query is longer than {MAX_QUERY_LEN} bytes")]
    TooLong,
    #[error("the query has more than {MAX_TERMS} words, phrases and filters")]
    TooManyTerms,
}

impl TermProblem {
    pub(super) fn at(self, at: Range<usize>) -> TermError {
        TermError { at, problem: self }
    }

    /// Returns how to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnclosedQuote => "close the quote, or leave it out",
            Self::LoneMinus => "write it as `-word`, or leave it out",
            Self::LoneStar => "write it as `begin*`, or leave it out",
            Self::NoWord { .. } => "leave it out",
            Self::TooLong | Self::TooManyTerms => "look for the few words that matter most",
        }
    }
}

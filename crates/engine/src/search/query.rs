//! What is asked for.

use std::ops::Range;

use skein_format::time::Time;
use skein_index::{Clause, What, pieces};

use crate::filter::{Filter, FilterError};

/// Words to look for, and which threads are meant.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Which threads are meant.
    pub filter: Filter,
    /// Threads that pass one of these are not.
    pub(super) except: Vec<Filter>,
    pub(super) clauses: Vec<Clause>,
}

/// A query that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct QueryError {
    /// Where in the query, in bytes.
    pub at: Range<usize>,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a part of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The words make no sense.
    #[error(transparent)]
    Words(skein_index::QueryError),
    /// A filter makes no sense.
    #[error(transparent)]
    Filter(FilterError),
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str, now: Time) -> Result<Self, QueryError> {
        let words =
            |error: skein_index::QueryError| QueryError { at: error.at(), why: Why::Words(error) };
        let mut query = Self::default();
        for piece in pieces(text, &Filter::NAMES).map_err(words)? {
            match piece.what {
                What::Text(atom) => query.clauses.push(Clause { not: piece.not, atom }),
                What::Filter { key, value } => {
                    let bad = |why| QueryError { at: piece.at.clone(), why: Why::Filter(why) };
                    let mut except = Filter::default();
                    let filter = if piece.not { &mut except } else { &mut query.filter };
                    filter.set(&key, &value, now).map_err(bad)?;
                    query.except.extend(piece.not.then_some(except));
                }
            }
        }
        Ok(query)
    }

    /// Returns whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.except.is_empty() && self.filter == Filter::default()
    }
}

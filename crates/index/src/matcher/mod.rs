//! Whether a text has what a query asks for.

mod judge;
mod terms;

use std::ops::Range;

pub use judge::Found;

use crate::field::Field;
use crate::query::Clause;
use terms::Terms;

/// Tells which texts have what a query asks for.
#[derive(Clone, Debug)]
pub struct Matcher {
    terms: Terms,
}

impl Matcher {
    /// Prepares to look for clauses: every positive one must be found, and no negated one.
    pub fn new(clauses: &[Clause]) -> Self {
        Self { terms: Terms::new(clauses) }
    }

    /// Returns whether a file with these bytes may match; the answer is false only if nothing that can be read from them does.
    pub fn may_match(&self, _bytes: &[u8]) -> bool {
        true
    }

    /// Returns what was found in a thread, if it matches.
    ///
    /// A clause may be found in any value; a phrase must be in one value.
    pub fn judge(&self, values: &[(Field, &str)]) -> Option<Found> {
        judge::judge(&self.terms, values)
    }

    /// Returns where the positive clauses are in a text: in order, what overlaps or touches as one.
    pub fn spans(&self, text: &str) -> Vec<Range<usize>> {
        judge::spans(&self.terms, text)
    }
}

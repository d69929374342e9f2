//! Whether a text has what a query asks for.

mod judge;
mod phrase;
mod terms;

use std::ops::Range;

pub use judge::Found;

use crate::field::Field;
use crate::needle::Sieve;
use crate::query::Clause;
use terms::Terms;

/// Tells which texts have what a query asks for.
#[derive(Clone, Debug)]
pub struct Matcher {
    terms: Terms,
    sieve: Sieve,
}

impl Matcher {
    /// Prepares to look for clauses: every positive one must be found, and no negated one.
    pub fn new(clauses: &[Clause]) -> Self {
        Self { terms: Terms::new(clauses), sieve: Sieve::new(clauses) }
    }

    /// Returns whether a file with these bytes may match.
    ///
    /// The answer is false only if no text that can be read from them matches: as it stands, as JSON with its escapes, and
    /// with secrets taken out. What a thread has from elsewhere, such as the name of its file, goes to
    /// [`Matcher::may_match_any`].
    pub fn may_match(&self, bytes: &[u8]) -> bool {
        self.sieve.passes(&[bytes])
    }

    /// Returns whether a thread whose text is in these parts may match.
    pub fn may_match_any(&self, parts: &[&[u8]]) -> bool {
        self.sieve.passes(parts)
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

#[cfg(test)]
mod tests;

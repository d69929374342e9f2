//! Whether a text has what a query asks for.

mod judge;
mod phrase;
mod spots;
mod terms;

use std::ops::Range;

pub use judge::Found;

use crate::needle::Sieve;
use crate::query::Clause;
use crate::text::Text;
use spots::Spots;
use terms::Terms;

/// Tells which texts have what a query asks for.
#[derive(Clone, Debug)]
pub struct Matcher {
    terms: Terms,
    /// The words of the terms, where each of them stands for itself.
    spots: Option<Spots>,
    sieve: Sieve,
}

impl Matcher {
    /// Prepares to look for clauses: every positive one must be found, and no negated one.
    pub fn new(clauses: &[Clause]) -> Self {
        let terms = Terms::new(clauses);
        Self { spots: Spots::new(clauses, &terms), terms, sieve: Sieve::new(clauses) }
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
    pub fn judge<'a>(&self, texts: impl IntoIterator<Item = impl Into<Text<'a>>>) -> Option<Found> {
        let texts = texts.into_iter().map(Into::into);
        match &self.spots {
            Some(spots) => judge::judge_spots(spots, &self.terms, texts),
            None => judge::judge(&self.terms, texts),
        }
    }

    /// Returns whether a look at a text tells that nothing is found in it, without the search for secrets that takes longer.
    pub fn is_clear(&self, text: &Text<'_>) -> bool {
        self.spots.as_ref().is_some_and(|spots| spots.is_clear(text.text, &mut Vec::new()))
    }

    /// Returns where the positive clauses are in a text: in order, what overlaps or touches as one.
    pub fn spans(&self, text: &str) -> Vec<Range<usize>> {
        judge::spans(&self.terms, text)
    }
}

#[cfg(test)]
mod tests;

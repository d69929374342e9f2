//! The words that a matcher looks for, sorted so that most words of a text are done with after one byte.

use crate::query::is_same_commit;
use crate::query::{Atom, Clause};

/// The words of all clauses.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// What to look for, by the first byte.
    by_first: Vec<Vec<Term>>,
    /// What each clause needs.
    pub(super) clauses: Vec<Need>,
}

/// What a clause needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) not: bool,
    /// How many words follow each other.
    pub(super) words: usize,
}

/// A word of a clause.
#[derive(Clone, Debug)]
pub(super) struct Term {
    text: String,
    how: How,
    /// The clause it belongs to.
    pub(super) clause: usize,
    /// Its place in the phrase.
    pub(super) place: usize,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Whole,
    Beginning,
    Commit,
}

impl Terms {
    pub(super) fn new(clauses: &[Clause]) -> Self {
        let mut terms = Self { by_first: vec![Vec::new(); 256], clauses: Vec::new() };
        for (clause, Clause { not, atom }) in clauses.iter().enumerate() {
            let words = match atom {
                Atom::Word(text) => terms.add(clause, &[text], How::Whole),
                Atom::Prefix(text) => terms.add(clause, &[text], How::Beginning),
                Atom::Commit(text) => terms.add(clause, &[text], How::Commit),
                Atom::Phrase { words, open } => {
                    let last = if *open { How::Beginning } else { How::Whole };
                    terms.add(clause, words, last)
                }
            };
            terms.clauses.push(Need { not: *not, words });
        }
        terms
    }

    /// Adds the words of a clause, of which the last may be a special one.
    fn add(&mut self, clause: usize, words: &[impl AsRef<str>], last: How) -> usize {
        for (place, text) in words.iter().enumerate() {
            let text = text.as_ref().to_owned();
            let how = if place + 1 == words.len() { last } else { How::Whole };
            let first = text.bytes().next().map_or(0, usize::from);
            if let Some(terms) = self.by_first.get_mut(first) {
                terms.push(Term { text, how, clause, place });
            }
        }
        words.len()
    }

    /// Returns whether any word that begins like this is looked for.
    #[inline]
    pub(super) fn has_first(&self, byte: u8) -> bool {
        self.by_first.get(usize::from(byte)).is_some_and(|terms| !terms.is_empty())
    }

    /// Passes on what a word of the text is.
    #[inline]
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = &Term> {
        let first = word.bytes().next().map_or(0, usize::from);
        self.by_first.get(first).into_iter().flatten().filter(move |term| term.is(word))
    }
}

impl Term {
    #[inline]
    fn is(&self, word: &str) -> bool {
        match self.how {
            How::Whole => word == self.text,
            How::Beginning => word.starts_with(&self.text),
            How::Commit => is_same_commit(&self.text, word),
        }
    }
}

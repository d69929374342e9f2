//! The words that a matcher looks for, sorted so that most words of a text are done with after one byte.

use crate::query::{Atom, Clause, FEWEST_DIGITS, is_same_commit};

/// The length whose bit stands for all that are longer as well.
const LONG: usize = 63;

/// The words of all clauses.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// What to look for, by the first byte.
    by_first: Vec<Bucket>,
    /// How long it may be, a bit for each length, by the first byte.
    lengths: [u64; 256],
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

/// Words with the same first byte.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// Those that must be there as they are, in order.
    whole: Vec<Term>,
    /// Those that may be there in another form.
    others: Vec<Term>,
}

/// A word, once for each clause that has it.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) text: String,
    how: How,
    /// The clause it belongs to.
    pub(super) clause: usize,
    /// Its places in the phrase, a bit for each.
    pub(super) places: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Whole,
    Beginning,
    Commit,
}

impl Terms {
    pub(super) fn new(clauses: &[Clause]) -> Self {
        let by_first = vec![Bucket::default(); 256];
        let mut terms = Self { by_first, lengths: [0; 256], clauses: Vec::new() };
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
            let text = text.as_ref();
            let how = if place + 1 == words.len() { last } else { How::Whole };
            let first = text.bytes().next().map_or(0, usize::from);
            if let Some(lengths) = self.lengths.get_mut(first) {
                *lengths |= how.lengths(text.len());
            }
            let bucket = self.by_first.get_mut(first);
            if let Some(places) = bucket.and_then(|bucket| bucket.places(text, how, clause)) {
                places.resize(words.len().div_ceil(64), 0);
                if let Some(block) = places.get_mut(place / 64) {
                    *block |= 1 << (place % 64);
                }
            }
        }
        words.len()
    }

    /// Returns all words.
    pub(super) fn all(&self) -> impl Iterator<Item = &Term> {
        self.by_first.iter().flat_map(|bucket| bucket.whole.iter().chain(&bucket.others))
    }

    /// Returns whether any word with this first byte and this length is looked for.
    #[inline]
    pub(super) fn may_have(&self, first: u8, length: usize) -> bool {
        let lengths = self.lengths.get(usize::from(first)).copied().unwrap_or_default();
        lengths >> length.min(LONG) & 1 == 1
    }

    /// Passes on what a word of the text is.
    #[inline]
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = &Term> {
        let first = word.bytes().next().map_or(0, usize::from);
        let bucket = self.by_first.get(first);
        let whole = bucket.map(|bucket| bucket.whole(word)).unwrap_or_default();
        let others = bucket.map(|bucket| bucket.others.as_slice()).unwrap_or_default();
        whole.iter().chain(others.iter().filter(move |term| term.is(word)))
    }
}

impl Bucket {
    /// Returns the places of a word in a clause, none for one that is new.
    fn places(&mut self, text: &str, how: How, clause: usize) -> Option<&mut Vec<u64>> {
        let terms = if how == How::Whole { &mut self.whole } else { &mut self.others };
        let order = |term: &Term| term.text.as_str().cmp(text).then(term.clause.cmp(&clause));
        let at = match terms.binary_search_by(order) {
            Ok(at) => at,
            Err(at) => {
                terms.insert(at, Term { text: text.to_owned(), how, clause, places: Vec::new() });
                at
            }
        };
        terms.get_mut(at).map(|term| &mut term.places)
    }

    /// Returns the words that are this one.
    #[inline]
    fn whole(&self, word: &str) -> &[Term] {
        let start = self.whole.partition_point(|term| term.text.as_str() < word);
        let rest = self.whole.get(start..).unwrap_or_default();
        let end = rest.iter().position(|term| term.text != word).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }
}

impl How {
    /// Returns the bits of the lengths that a word may have.
    fn lengths(self, wanted: usize) -> u64 {
        match self {
            Self::Whole => 1 << wanted.min(LONG),
            Self::Beginning => u64::MAX << wanted.min(LONG),
            Self::Commit => u64::MAX << FEWEST_DIGITS,
        }
    }
}

impl Term {
    /// Returns whether it stands for commits.
    pub(super) fn is_commit(&self) -> bool {
        self.how == How::Commit
    }

    /// Returns whether a word of ASCII is this one, whose letters it starts with.
    pub(super) fn is_in_any_case(&self, word: &str) -> bool {
        match self.how {
            How::Whole => word.len() == self.text.len(),
            How::Beginning => true,
            How::Commit => is_same_commit(&self.text, &word.to_ascii_lowercase()),
        }
    }

    #[inline]
    pub(super) fn is(&self, word: &str) -> bool {
        match self.how {
            How::Whole => word == self.text,
            How::Beginning => word.starts_with(&self.text),
            How::Commit => is_same_commit(&self.text, word),
        }
    }
}

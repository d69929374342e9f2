//! A first look at the bytes of a file, which most files do not pass.
//!
//! It runs at the speed of memory, because it neither decodes nor cuts into words: it asks whether the letters of a word that
//! must be there are there at all, however they may be written.

mod ascii;
mod edges;
mod escape;
mod runs;

use std::cmp::Reverse;

use memchr::memmem::Finder;
use skein_format::redact::rules;

use crate::query::{Atom, Clause, is_same_commit, shortest};
use crate::token::tokens;
pub(crate) use ascii::AsciiNeedle;
use edges::Edges;
pub(crate) use edges::is_in_long_run;
pub(crate) use runs::{each_mixed_run, is_part_of_word};

/// The most words of a phrase that are looked for; the others would hardly make a difference.
const MOST_OF_A_PHRASE: usize = 3;

/// What the bytes of a file must have, some needles for each positive clause that tells something.
#[derive(Clone, Debug)]
pub(crate) struct Sieve {
    needles: Vec<Needle>,
}

/// Letters that must be somewhere.
#[derive(Clone, Debug)]
enum Needle {
    Ascii(AsciiNeedle, Edges),
    Other(String, Box<Finder<'static>>),
}

impl Sieve {
    pub(crate) fn new(clauses: &[Clause]) -> Self {
        let redacted = redacted();
        let positive = clauses.iter().filter(|clause| !clause.not);
        let mut letters: Vec<Letters> =
            positive.flat_map(|clause| needles(&clause.atom, &redacted)).collect();
        // What is longest is the rarest, as a rule, and then the others need not be looked for.
        letters.sort_by_key(|letters| Reverse(letters.text.len()));
        letters.dedup();
        let needles = letters.into_iter().map(|Letters { text, edges }| match text.is_ascii() {
            true => Needle::Ascii(AsciiNeedle::new(text), edges),
            false => {
                let finder = Box::new(Finder::new(&text).into_owned());
                Needle::Other(text, finder)
            }
        });
        Self { needles: needles.collect() }
    }

    /// Returns whether each needle is in one of the parts.
    pub(crate) fn passes(&self, parts: &[&[u8]]) -> bool {
        self.needles.iter().all(|needle| parts.iter().any(|part| needle.may_be_in(part)))
    }
}

impl Needle {
    fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.is_word_in(bytes)
            || escape::may_hide_letters(bytes)
            || !bytes.is_ascii() && runs::have(bytes, self.text(), |folded| self.is_in(folded))
    }

    /// Returns whether the letters are there with the edges that they need.
    fn is_word_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Ascii(needle, edges) => needle.is_in_as(bytes, *edges),
            Self::Other(..) => self.is_in(bytes),
        }
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Ascii(needle, _) => needle.is_in(bytes),
            Self::Other(_, finder) => finder.find(bytes).is_some(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Ascii(needle, _) => needle.text(),
            Self::Other(text, _) => text,
        }
    }
}

/// Returns whether an atom may be in what stands where a secret was taken out.
pub(crate) fn may_be_redacted(atom: &Atom) -> bool {
    let redacted = redacted();
    match atom {
        Atom::Word(text) => redacted.contains(text),
        Atom::Prefix(text) => redacted.iter().any(|put_in| put_in.starts_with(text)),
        Atom::Commit(text) => redacted.iter().any(|put_in| is_same_commit(text, put_in)),
        Atom::Phrase { .. } => true,
    }
}

/// Letters that must be somewhere.
#[derive(PartialEq)]
struct Letters {
    text: String,
    /// Where the word has its edges, if they are all of it.
    edges: Edges,
}

impl Letters {
    /// Takes what tells a word from others; one that `goes_on` may have more letters behind these.
    fn of(word: &str, goes_on: bool) -> Self {
        let text = letters(word);
        let is_all = text == word;
        Self { text, edges: Edges { start: is_all, end: is_all && !goes_on } }
    }
}

/// Returns letters that every text has which has the atom; none if nothing can be said.
fn needles(atom: &Atom, redacted: &[String]) -> Vec<Letters> {
    let word = |text: &str| match redacted.iter().any(|put_in| put_in == text) {
        true => None,
        false => Some(Letters::of(text, false)),
    };
    let prefix = |text: &str| match redacted.iter().any(|put_in| put_in.starts_with(text)) {
        true => None,
        false => Some(Letters::of(text, true)),
    };
    let mut needles: Vec<Letters> = match atom {
        Atom::Word(text) => word(text).into_iter().collect(),
        Atom::Prefix(text) => prefix(text).into_iter().collect(),
        Atom::Commit(text) if redacted.iter().any(|put_in| is_same_commit(text, put_in)) => vec![],
        Atom::Commit(text) => vec![Letters::of(shortest(text), true)],
        Atom::Phrase { words, open } => {
            let last = words.len().saturating_sub(usize::from(*open));
            let (whole, open) = words.split_at_checked(last).unwrap_or_default();
            let whole = whole.iter().filter_map(|text| word(text));
            whole.chain(open.iter().filter_map(|text| prefix(text))).collect()
        }
    };
    needles.retain(|letters| !letters.text.is_empty());
    needles.sort_by_key(|letters| Reverse(letters.text.len()));
    needles.truncate(MOST_OF_A_PHRASE);
    needles
}

/// Returns the longest part of a word without marks, which may come in another order in the text.
fn letters(word: &str) -> String {
    let parts = word
        .split(|character| unicode_normalization::char::canonical_combining_class(character) > 0);
    parts.max_by_key(|part| part.len()).unwrap_or_default().to_owned()
}

/// Returns the words that stand where a secret was taken out, which the file itself does not have.
fn redacted() -> Vec<String> {
    let mut words = vec!["redacted".to_owned()];
    for rule in rules() {
        tokens(rule.name, |token| words.push(token.text.to_owned()));
    }
    words.sort_unstable();
    words.dedup();
    words
}

//! A first look at the bytes of a file, which most files do not pass.
//!
//! It runs at the speed of memory, because it neither decodes nor cuts into words: it asks whether the letters of a word that
//! must be there are there at all, however they may be written.

mod ascii;
mod escape;
mod runs;

use std::cmp::Reverse;

use memchr::memmem::Finder;
use skein_format::redact::RULES;

use crate::query::{Atom, Clause, is_same_commit, shortest};
use crate::token::tokens;
use ascii::AsciiNeedle;

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
    Ascii(AsciiNeedle),
    Other(String, Box<Finder<'static>>),
}

impl Sieve {
    pub(crate) fn new(clauses: &[Clause]) -> Self {
        let redacted = redacted();
        let positive = clauses.iter().filter(|clause| !clause.not);
        let mut texts: Vec<String> =
            positive.flat_map(|clause| needles(&clause.atom, &redacted)).collect();
        // What is longest is the rarest, as a rule, and then the others need not be looked for.
        texts.sort_by_key(|text| Reverse(text.len()));
        texts.dedup();
        let needles = texts.into_iter().map(|text| match text.is_ascii() {
            true => Needle::Ascii(AsciiNeedle::new(text)),
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
        self.is_in(bytes)
            || escape::may_hide_letters(bytes)
            || !bytes.is_ascii() && runs::have(bytes, self.text(), |folded| self.is_in(folded))
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Ascii(needle) => needle.is_in(bytes),
            Self::Other(_, finder) => finder.find(bytes).is_some(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Ascii(needle) => needle.text(),
            Self::Other(text, _) => text,
        }
    }
}

/// Returns letters that every text has which has the atom; none if nothing can be said.
fn needles(atom: &Atom, redacted: &[String]) -> Vec<String> {
    let word = |text: &str| match redacted.iter().any(|put_in| put_in == text) {
        true => None,
        false => Some(letters(text)),
    };
    let prefix = |text: &str| match redacted.iter().any(|put_in| put_in.starts_with(text)) {
        true => None,
        false => Some(letters(text)),
    };
    let mut needles: Vec<String> = match atom {
        Atom::Word(text) => word(text).into_iter().collect(),
        Atom::Prefix(text) => prefix(text).into_iter().collect(),
        Atom::Commit(text) if redacted.iter().any(|put_in| is_same_commit(text, put_in)) => vec![],
        Atom::Commit(text) => vec![shortest(text).to_owned()],
        Atom::Phrase { words, open } => {
            let last = words.len().saturating_sub(usize::from(*open));
            let (whole, open) = words.split_at_checked(last).unwrap_or_default();
            let whole = whole.iter().filter_map(|text| word(text));
            whole.chain(open.iter().filter_map(|text| prefix(text))).collect()
        }
    };
    needles.retain(|text| !text.is_empty());
    needles.sort_by_key(|text| Reverse(text.len()));
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
    for rule in RULES {
        tokens(rule.name, |token| words.push(token.text.to_owned()));
    }
    words.sort_unstable();
    words.dedup();
    words
}

//! The words of a query.

use crate::token::tokens;

/// The fewest digits by which a commit is known.
const MIN_COMMIT_DIGITS: usize = 7;

/// A word or phrase, folded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A word.
    Word(String),
    /// A word that begins like this.
    Prefix(String),
    /// The id of a commit, cut anywhere behind the seventh digit, here or in the text.
    Commit(String),
    /// Words that follow each other in one value.
    Phrase {
        /// At least two words.
        words: Vec<String>,
        /// Whether the last one is the beginning of a word.
        open: bool,
    },
}

/// An atom that a text must contain, or must not contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// Whether the text must not have it.
    pub not: bool,
    /// What it is.
    pub atom: Atom,
}

impl Atom {
    /// Reads what is not in quotes; `open` means that a star follows.
    pub(super) fn of_word(text: &str, open: bool) -> Option<Self> {
        match Self::of_phrase(text, open) {
            Some(Self::Word(word)) if is_commit(&word) => Some(Self::Commit(word)),
            atom => atom,
        }
    }

    /// Reads what is in quotes; `open` means that a star follows.
    pub(super) fn of_phrase(text: &str, open: bool) -> Option<Self> {
        let mut words = Vec::new();
        tokens(text, |token| words.push(token.text.to_owned()));
        if words.len() > 1 {
            return Some(Self::Phrase { words, open });
        }
        words.pop().map(|word| if open { Self::Prefix(word) } else { Self::Word(word) })
    }
}

/// Returns whether a folded word may be the id of a commit.
pub(crate) fn is_commit(word: &str) -> bool {
    word.len() >= MIN_COMMIT_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the part of the id of a commit that every spelling of it has.
pub(crate) fn shortest(commit: &str) -> &str {
    commit.get(..MIN_COMMIT_DIGITS).unwrap_or(commit)
}

/// Returns whether two ids may be those of one commit.
pub(crate) fn is_same_commit(wanted: &str, word: &str) -> bool {
    word == wanted || is_commit(word) && (word.starts_with(wanted) || wanted.starts_with(word))
}

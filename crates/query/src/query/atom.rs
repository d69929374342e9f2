//! The words of a query.

use crate::token::tokens;

/// The minimum number of digits of an abbreviated commit id.
const MIN_COMMIT_DIGITS: usize = 7;

/// A word or phrase, folded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A word.
    Word(String),
    /// A word that begins like this.
    Prefix(String),
    /// A commit id; it or the one in the text may be abbreviated to seven digits or more.
    Commit(String),
    /// Consecutive words in one text.
    Phrase {
        /// At least two words.
        words: Vec<String>,
        /// Whether the last one is a prefix.
        open: bool,
    },
}

/// An atom that a text must contain, or must not contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// Whether the text must not contain it.
    pub not: bool,
    /// The word or phrase.
    pub atom: Atom,
}

impl Atom {
    /// Parses text that is not in quotes; `open` means that a star follows.
    pub(super) fn from_word(text: &str, open: bool) -> Option<Self> {
        match Self::from_phrase(text, open) {
            Some(Self::Word(word)) if is_commit(&word) => Some(Self::Commit(word)),
            atom => atom,
        }
    }

    /// Parses text that is in quotes; `open` means that a star follows.
    pub(super) fn from_phrase(text: &str, open: bool) -> Option<Self> {
        let mut words = Vec::new();
        tokens(text, |token| words.push(token.text.to_owned()));
        if words.len() > 1 {
            return Some(Self::Phrase { words, open });
        }
        words.pop().map(|word| if open { Self::Prefix(word) } else { Self::Word(word) })
    }
}

/// Returns whether a folded word may be a commit id.
pub(crate) fn is_commit(word: &str) -> bool {
    word.len() >= MIN_COMMIT_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the shortest accepted abbreviation of a commit id.
pub(crate) fn shortest(commit: &str) -> &str {
    commit.get(..MIN_COMMIT_DIGITS).unwrap_or(commit)
}

/// Returns whether two ids may refer to the same commit.
pub(crate) fn is_same_commit(wanted: &str, word: &str) -> bool {
    word == wanted || is_commit(word) && (word.starts_with(wanted) || wanted.starts_with(word))
}

//! The table of the words of a language.

use std::collections::HashMap;

use super::Class;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordRole {
    /// The word has this class.
    Is(Class),
    /// The word is a keyword, and the next word has this class.
    Names(Class),
    /// The word is a keyword if the text after it cannot follow a value.
    Soft,
}

/// The words of a language that have a role.
pub(crate) struct WordTable {
    words: HashMap<&'static [u8], WordRole>,
    folded: bool,
}

impl WordTable {
    /// Creates a table from lists separated by spaces. A word in two lists has the first role.
    pub(crate) fn new(lists: &[(&'static str, WordRole)], folded: bool) -> Self {
        let mut words = HashMap::new();
        for &(list, role) in lists {
            for word in list.split_whitespace() {
                words.entry(word.as_bytes()).or_insert(role);
            }
        }
        Self { words, folded }
    }

    pub(crate) fn find(&self, word: &[u8]) -> Option<WordRole> {
        let role = if self.folded {
            self.words.get(&*word.to_ascii_lowercase())
        } else {
            self.words.get(word)
        };
        role.copied()
    }
}

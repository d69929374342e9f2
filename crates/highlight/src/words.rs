//! The words with a meaning in a language.

use super::Class;

/// The length of the longest word in a table.
const MAX_WORD_LEN: usize = 31;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordRole {
    /// The word has this colour.
    Is(Class),
    /// The word is a keyword, and the word after it has this colour.
    Names(Class),
    /// The word is a keyword if what follows could not follow a value.
    Soft,
}

/// The words with a meaning in a language.
///
/// Most words of a file have none, and are rejected by their first byte and their length alone.
pub(crate) struct WordTable {
    /// For each first byte, the lengths of its words as a set of bits.
    lengths: Box<[u32; 256]>,
    /// The words by their first bytes, with `starts` as the index.
    words: Vec<(&'static str, WordRole)>,
    starts: Box<[u16; 257]>,
    folded: bool,
}

impl WordTable {
    /// Makes a table of lists separated by spaces. A word in two lists has the first meaning.
    pub(crate) fn new(lists: &[(&'static str, WordRole)], folded: bool) -> Self {
        let mut words: Vec<(&'static str, WordRole)> = lists
            .iter()
            .flat_map(|&(list, role)| list.split_whitespace().map(move |word| (word, role)))
            .filter(|(word, _)| word.len() <= MAX_WORD_LEN)
            .collect();
        words.sort_by_key(|(word, _)| first_byte(word));
        let mut lengths = Box::new([0; 256]);
        for (word, _) in &words {
            if let Some(set) = lengths.get_mut(usize::from(first_byte(word))) {
                *set |= 1 << word.len();
            }
        }
        let mut starts = Box::new([0; 257]);
        for (byte, start) in starts.iter_mut().enumerate() {
            let count = words.partition_point(|(word, _)| usize::from(first_byte(word)) < byte);
            *start = u16::try_from(count).unwrap_or(u16::MAX);
        }
        Self { lengths, words, starts, folded }
    }

    pub(crate) fn find(&self, word: &[u8]) -> Option<WordRole> {
        let mut buffer = [0; MAX_WORD_LEN];
        let mut word = word;
        if self.folded {
            let copy = buffer.get_mut(..word.len())?;
            copy.copy_from_slice(word);
            copy.make_ascii_lowercase();
            word = copy;
        }
        let first = usize::from(*word.first()?);
        let set = *self.lengths.get(first)?;
        if word.len() > MAX_WORD_LEN || set & (1 << word.len()) == 0 {
            return None;
        }
        let from = usize::from(*self.starts.get(first)?);
        let to = usize::from(*self.starts.get(first + 1)?);
        let is_word =
            |known: &str| known.len() == word.len() && known.bytes().eq(word.iter().copied());
        let found = self.words.get(from..to)?.iter().find(|(known, _)| is_word(known))?;
        Some(found.1)
    }
}

fn first_byte(word: &str) -> u8 {
    word.bytes().next().unwrap_or(0)
}

//! Checks whether bytes may contain a word, without decoding them or splitting them into words.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use unicode_normalization::char::canonical_combining_class;

use crate::fold::{Role, fold};
use crate::token::{is_word_byte, mixed_runs};

static JSON_ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Folded letters to search for.
///
/// ASCII letters of the searched texts must be in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    letters: String,
    finder: Finder<'static>,
}

impl Needle {
    /// Creates a needle for a folded word; `None` if a search cannot rule it out.
    pub(crate) fn new(word: &str) -> Option<Self> {
        // Combining marks may be in another order in the text.
        let parts = word.split(|character| canonical_combining_class(character) > 0);
        let letters = parts.max_by_key(|part| part.len()).filter(|part| !part.is_empty())?;
        let finder = Finder::new(letters).into_owned();
        Some(Self { letters: letters.to_owned(), finder })
    }

    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    /// Returns false only if no text in the bytes has the letters, neither as it is, nor as JSON
    /// with escapes, nor folded.
    pub(crate) fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.finder.find(bytes).is_some()
            || has_escaped_letters(bytes)
            || self.is_in_folded_words(bytes)
    }

    /// Returns the number of words that begin with the letters and that `is_word` accepts.
    ///
    /// Only words of ASCII are passed to `is_word`; other words are not counted.
    pub(crate) fn count_words(&self, text: &str, is_word: impl Fn(&str) -> bool) -> u32 {
        let bytes = text.as_bytes();
        let mut count = 0;
        for start in self.finder.find_iter(bytes) {
            let before = start.checked_sub(1).and_then(|before| bytes.get(before));
            if before.is_some_and(is_word_byte) {
                continue;
            }
            let rest = bytes.get(start..).unwrap_or_default();
            let end = start + rest.iter().take_while(|byte| is_word_byte(byte)).count();
            let word = text.get(start..end).filter(|word| word.is_ascii());
            count += u32::from(word.is_some_and(&is_word));
        }
        count
    }

    /// Returns whether the letters are in a folded word that is not plain ASCII.
    fn is_in_folded_words(&self, bytes: &[u8]) -> bool {
        let mut folded = String::new();
        mixed_runs(bytes).any(|run| {
            folded.clear();
            for chunk in bytes.get(run).unwrap_or_default().utf8_chunks() {
                for character in chunk.valid().chars() {
                    fold(character, |part, _| folded.push(part));
                }
                if !chunk.invalid().is_empty() {
                    folded.push(' ');
                }
            }
            folded.contains(&self.letters)
        })
    }
}

/// Returns whether the bytes have a JSON escape `\uXXXX` of a character that can be part of a word.
fn has_escaped_letters(bytes: &[u8]) -> bool {
    JSON_ESCAPE.find_iter(bytes).any(|at| {
        let digits = bytes.get(at + 2..at + 6).and_then(|digits| str::from_utf8(digits).ok());
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        // A half of a surrogate pair may be part of any character.
        unit.is_some_and(|unit| char::from_u32(unit).is_none_or(is_in_words))
    })
}

/// Returns whether a character is not a separator of words; `½` is two words with a separator
/// between them.
fn is_in_words(character: char) -> bool {
    let (mut is_dropped, mut has_letters) = (true, false);
    fold(character, |_, role| {
        is_dropped = false;
        has_letters |= role != Role::Separator;
    });
    is_dropped || has_letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be_in(bytes: &[u8], letters: &str) -> bool {
        Needle::new(letters).unwrap().may_be_in(&bytes.to_ascii_lowercase())
    }

    #[test]
    fn ascii_is_found_in_either_case() {
        assert!(may_be_in(b"a NeEdle9 b", "needle9"));
        assert!(!may_be_in(b"a needle8 b", "needle9"));
        assert!(!may_be_in(b"ab", "abc"));
    }

    #[test]
    fn accents_forms_and_invalid_bytes_do_not_hide_letters() {
        for (text, letters) in [
            ("a naïve one", "naive"),
            ("\\nélan", "elan"),
            ("re\u{301}sume\u{301}", "resume"),
            ("co\u{AD}operate", "cooperate"),
            ("漢ｗｏｒｄ字", "word"),
            ("Привет", "привет"),
            ("가", "\u{1100}\u{1161}"),
            ("豈", "豈"),
            ("漢—\u{301}ａ漢b", "a"),
            ("ßeßt", "ssesst"),
            ("wⅧ", "wviii"),
        ] {
            assert!(may_be_in(text.as_bytes(), letters), "{text}");
        }
        assert!(may_be_in(b"\xFF\xC3na\xC3\xAFve\xC3", "naive"));
        assert!(!may_be_in(b"na\xC3 \xAFive \xE6\xBC", "naive"));
        assert!(!may_be_in("nai—ve nai漢ve".as_bytes(), "naive"));
    }

    #[test]
    fn only_escapes_of_letters_can_hide_a_word() {
        for harmless in ["", r"\u001b[0m \u2014 \u00a0", r"C:\users\unix", r"\u00", r"\u"] {
            assert!(!has_escaped_letters(harmless.as_bytes()), "{harmless}");
        }
        for hiding in
            [r"\u0061", r"x\u00e9", r"\u0301", r"\u00bd", r"\ud835\udc00", r"\u00AD", r"\u6f22"]
        {
            assert!(has_escaped_letters(hiding.as_bytes()), "{hiding}");
        }
    }
}

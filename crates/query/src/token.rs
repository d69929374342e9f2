//! Splits a text into words.

use std::ops::Range;

use crate::fold::{Role, append, fold};

/// Maximum length of a folded word in bytes; the rest is ignored.
pub const MAX_TOKEN_LEN: usize = 100;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word, folded.
    pub text: &'a str,
    /// The byte of the original text at which it starts.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// Calls `each` with the words of a text, from left to right.
///
/// A word is a run of letters, digits and marks; in scripts that are written without spaces, each
/// character, or each Hangul syllable, is a word. Case, accents and compatibility forms are folded.
pub fn tokens(text: &str, each: impl FnMut(Token<'_>)) {
    let mut walk = Walk { text, word: Word::default(), each };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let start = at + rest.iter().take_while(|byte| !is_word_byte(byte)).count();
        at = start + word_bytes(bytes.get(start..).unwrap_or_default());
        if start < at {
            walk.run(start, at);
        }
    }
}

/// Returns whether a byte can be part of a word: ASCII letters and digits, and all non-ASCII bytes.
pub(crate) fn is_word_byte(byte: &u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_alphanumeric()
}

/// Returns the length of the run of word bytes at the start.
fn word_bytes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_word_byte(byte)).count()
}

/// Returns the runs of word bytes that are not all ASCII.
pub(crate) fn mixed_runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut done = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(done..)?;
        let at = first_non_ascii(rest)?;
        let (before, rest_of_run) = rest.split_at_checked(at)?;
        let start = done + at - before.iter().rev().take_while(|byte| is_word_byte(byte)).count();
        let end = done + at + word_bytes(rest_of_run);
        done = end;
        Some(start..end)
    })
}

fn first_non_ascii(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 128;
    let skipped = bytes.chunks(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
    let at = bytes.get(skipped..)?.iter().position(|byte| !byte.is_ascii())?;
    Some(skipped + at)
}

/// The words of one text.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// All folded words, concatenated.
    folded: String,
    /// The range of each word in `folded`, and in the text.
    places: Vec<(Range<usize>, Range<usize>)>,
}

impl Words {
    pub(crate) fn clear(&mut self) {
        self.folded.clear();
        self.places.clear();
    }

    pub(crate) fn fill(&mut self, text: &str) {
        self.clear();
        tokens(text, |token| {
            let start = self.folded.len();
            self.folded.push_str(token.text);
            self.places.push((start..self.folded.len(), token.start..token.end));
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the folded text of a word.
    pub(crate) fn text(&self, word: usize) -> &str {
        let place = self.places.get(word).map(|(folded, _)| folded.clone());
        place.and_then(|place| self.folded.get(place)).unwrap_or_default()
    }

    /// Returns the range of consecutive words in the text.
    pub(crate) fn span(&self, words: Range<usize>) -> Range<usize> {
        let of = |word: usize| self.places.get(word).map_or(0..0, |(_, text)| text.clone());
        of(words.start).start..of(words.end.saturating_sub(1)).end
    }
}

struct Walk<'a, E> {
    text: &'a str,
    word: Word,
    each: E,
}

impl<E: FnMut(Token<'_>)> Walk<'_, E> {
    /// Emits the words of a run: one, if all of it is ASCII.
    #[inline]
    fn run(&mut self, start: usize, end: usize) {
        let run = self.text.get(start..end).unwrap_or_default();
        if !run.is_ascii() {
            return self.mixed(start, end);
        }
        let run = run.get(..MAX_TOKEN_LEN).unwrap_or(run);
        let has_capital = run.bytes().any(|byte| byte.is_ascii_uppercase());
        let text = if has_capital { self.word.lower(run) } else { run };
        (self.each)(Token { text, start, end });
    }

    /// Emits the words of a run that is not all ASCII.
    fn mixed(&mut self, start: usize, end: usize) {
        self.word.clear();
        let text = self.text.get(start..end).unwrap_or_default();
        for (index, character) in text.char_indices() {
            let at = start + index;
            let end = at + character.len_utf8();
            if character.is_ascii() {
                self.push(character.to_ascii_lowercase(), Role::Word, at, end);
                continue;
            }
            let mut is_kept = false;
            fold(character, |folded, role| {
                is_kept = true;
                self.push(folded, role, at, end);
            });
            if !is_kept {
                self.word.end = end;
            }
        }
        self.flush();
    }

    fn push(&mut self, folded: char, role: Role, start: usize, end: usize) {
        let joins = match role {
            Role::Separator => return self.flush(),
            Role::Single => false,
            Role::Word => !self.word.single,
            Role::Trailer => self.word.takes(folded),
        };
        if !joins {
            self.flush();
        }
        if self.word.text.is_empty() {
            self.word.start = start;
            self.word.single = role != Role::Word;
        }
        self.word.end = end;
        self.word.push(folded);
    }

    fn flush(&mut self) {
        let Word { text, start, end, .. } = &self.word;
        if !text.is_empty() {
            (self.each)(Token { text, start: *start, end: *end });
        }
        self.word.clear();
    }
}

/// The current word.
#[derive(Default)]
struct Word {
    text: String,
    start: usize,
    end: usize,
    single: bool,
    full: bool,
}

impl Word {
    fn clear(&mut self) {
        self.text.clear();
        self.single = false;
        self.full = false;
    }

    fn push(&mut self, folded: char) {
        self.full |= self.text.len() + folded.len_utf8() > MAX_TOKEN_LEN;
        if !self.full {
            append(&mut self.text, folded);
        }
    }

    fn lower(&mut self, word: &str) -> &str {
        self.text.clear();
        self.text.push_str(word);
        self.text.make_ascii_lowercase();
        &self.text
    }

    /// Returns whether a later part of a syllable, or a voicing mark, belongs to this word.
    fn takes(&self, trailer: char) -> bool {
        let is_hangul = |character| matches!(character, '\u{1100}'..='\u{11FF}' | '\u{A960}'..='\u{A97F}' | '\u{D7B0}'..='\u{D7FF}');
        !is_hangul(trailer) || self.text.chars().next_back().is_some_and(is_hangul)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        tokens(text, |token| {
            assert!(text.get(token.start..token.end).is_some_and(|part| !part.is_empty()));
            words.push(token.text.to_owned());
        });
        words
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{text}");
    }

    #[test]
    fn splits_at_punctuation_and_folds() {
        check("", &[]);
        check(" -> ", &[]);
        check("apps/function/src/MRR.ts", &["apps", "function", "src", "mrr", "ts"]);
        check("snake_case camelCase x2", &["snake", "case", "camelcase", "x2"]);
        check("naïve Café's", &["naive", "cafe", "s"]);
        check("e\u{301}te\u{301}", &["ete"]);
        check("½ ™x", &["1", "2", "x"]);
        check("🎉done❤\u{FE0F}", &["done"]);
    }

    #[test]
    fn every_character_of_a_script_without_spaces_is_a_word() {
        check("漢字abc かな", &["漢", "字", "abc", "か", "な"]);
        check("がか\u{3099}", &["か\u{3099}", "か\u{3099}"]);
        check("ไทย", &["ไ", "ท", "ย"]);
        check("한글", &["\u{1112}\u{1161}\u{11AB}", "\u{1100}\u{1173}\u{11AF}"]);
        check("\u{1112}\u{1161}\u{11AB}한", &["\u{1112}\u{1161}\u{11AB}"; 2]);
        check("a\u{1161}か\u{1161}", &["a", "\u{1161}", "か", "\u{1161}"]);
    }

    #[test]
    fn ranges_are_those_of_the_original_text() {
        let mut ranges = Vec::new();
        let text = "Ünder e\u{301}! か\u{3099}漢x";
        tokens(text, |token| ranges.push(text.get(token.start..token.end).unwrap()));
        assert_eq!(ranges, ["Ünder", "e\u{301}", "か\u{3099}", "漢", "x"]);
    }

    #[test]
    fn long_words_are_cut_at_a_character() {
        check(&"x".repeat(5000), &[&"x".repeat(100)]);
        check(&"жэ".repeat(5000), &[&"жэ".repeat(25)]);
        check(&format!("x{}y", "ж".repeat(60)), &[&format!("x{}", "ж".repeat(49))]);
    }

    proptest! {
        #[test]
        fn a_word_splits_into_only_itself(text in ".*") {
            for word in words(&text) {
                prop_assert_eq!(words(&word), [word]);
            }
        }

        #[test]
        fn a_separator_never_changes_the_words_of_either_side(left in ".*", right in ".*") {
            let both = [words(&left), words(&right)].concat();
            prop_assert_eq!(words(&format!("{left} {right}")), both);
        }

        #[test]
        fn unicode_normal_forms_give_the_same_words(text in "[a-zäöüéñ가-힣か-ゟА-я ]{0,20}") {
            use unicode_normalization::UnicodeNormalization as _;
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(words(&composed), words(&decomposed));
        }
    }
}

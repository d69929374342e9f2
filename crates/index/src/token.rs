//! Words of a text, as the search sees them.

use crate::fold::{Role, append, fold, role};

/// The most bytes of a folded word that are looked at; what follows makes no difference.
pub const LONGEST_TOKEN: usize = 100;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word, folded.
    pub text: &'a str,
    /// The byte of the original text at which it starts.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// How many words are before it.
    pub position: u32,
}

/// Passes on the words of a text, from left to right.
///
/// A word is a run of letters, digits and marks; in scripts that are written without spaces every character is a word,
/// and every syllable of Hangul. Case, accents and compatibility forms are folded away.
pub fn tokens(text: &str, each: impl FnMut(Token<'_>)) {
    walk(text, |_| true, each);
}

/// Passes on the words of a text and returns how many there are.
///
/// A word of ASCII whose first folded byte is not wanted is counted, and not passed on.
pub(crate) fn walk(text: &str, wants: impl Fn(u8) -> bool, each: impl FnMut(Token<'_>)) -> u32 {
    let mut walk = Walk { text, word: Word::default(), position: 0, wants, each };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match class(byte) {
            SEPARATOR => at + 1,
            OTHER => walk.mixed(at),
            _ => walk.run(at),
        };
    }
    walk.position
}

const SEPARATOR: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const OTHER: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [SEPARATOR; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(
            clippy::indexing_slicing,
            clippy::cast_possible_truncation,
            reason = "the table has an entry for every byte, and is made by the compiler"
        )]
        {
            classes[byte] = match byte as u8 {
                b'0'..=b'9' | b'a'..=b'z' => LOWER,
                b'A'..=b'Z' => UPPER,
                0x80.. => OTHER,
                _ => SEPARATOR,
            };
        }
        byte += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(SEPARATOR)
}

struct Walk<'a, W, E> {
    text: &'a str,
    word: Word,
    position: u32,
    wants: W,
    each: E,
}

impl<W: Fn(u8) -> bool, E: FnMut(Token<'_>)> Walk<'_, W, E> {
    /// Passes on the word of ASCII that starts here, and returns where to go on.
    #[inline]
    fn run(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        let mut seen = 0;
        let mut length = bytes.len();
        for (index, &byte) in bytes.iter().enumerate() {
            let class = class(byte);
            if class == SEPARATOR {
                length = index;
                break;
            }
            seen |= class;
        }
        if seen & OTHER != 0 {
            return self.mixed(start);
        }
        let end = start + length;
        if bytes.first().is_some_and(|first| (self.wants)(first.to_ascii_lowercase())) {
            let cut = start + length.min(LONGEST_TOKEN);
            let text = self.text.get(start..cut).unwrap_or_default();
            let text = match seen & UPPER {
                0 => text,
                _ => self.word.lower(text),
            };
            (self.each)(Token { text, start, end, position: self.position });
        }
        self.position = self.position.saturating_add(1);
        end
    }

    /// Passes on the words from here to the next separator of ASCII, and returns where to go on.
    fn mixed(&mut self, start: usize) -> usize {
        self.word.clear();
        let rest = self.text.get(start..).unwrap_or_default();
        for (index, character) in rest.char_indices() {
            let at = start + index;
            if character.is_ascii() && !character.is_ascii_alphanumeric() {
                self.flush();
                return at;
            }
            let end = at + character.len_utf8();
            let mut any = false;
            fold(character, |folded| {
                any = true;
                self.push(folded, at, end);
            });
            if !any {
                self.word.end = end;
            }
        }
        self.flush();
        self.text.len()
    }

    fn push(&mut self, folded: char, start: usize, end: usize) {
        let role = role(folded);
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
            (self.each)(Token { text, start: *start, end: *end, position: self.position });
            self.position = self.position.saturating_add(1);
        }
        self.word.clear();
    }
}

/// The word that is being put together.
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
        self.full |= self.text.len() + folded.len_utf8() > LONGEST_TOKEN;
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

    /// Returns whether a later part of a syllable, or a mark of voice, belongs to this word.
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
            assert_eq!(token.position as usize, words.len());
            assert!(text.get(token.start..token.end).is_some_and(|part| !part.is_empty()));
            words.push(token.text.to_owned());
        });
        words
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{text}");
    }

    #[test]
    fn cuts_at_punctuation_and_folds() {
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
        tokens(text, |token| ranges.push(&text[token.start..token.end]));
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
        fn a_word_is_its_own_only_word(text in ".*") {
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
        fn normal_forms_make_no_difference(text in "[a-zäöüéñ가-힣か-ゟА-я ]{0,20}") {
            use unicode_normalization::UnicodeNormalization as _;
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(words(&composed), words(&decomposed));
        }
    }
}

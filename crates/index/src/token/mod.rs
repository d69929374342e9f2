//! Words of a text, as the search sees them.

mod blocks;

use fearless_simd::Level;

use crate::fold::{Role, append, fold};
use blocks::{BLOCK, BLOCKS, Kinds, kinds};

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
    walk(text, |_, _| true, each);
}

/// Passes on the words of a text.
///
/// A word of ASCII whose first folded byte and length are not wanted has its position, and is not passed on.
pub(crate) fn walk(text: &str, wants: impl Fn(u8, usize) -> bool, each: impl FnMut(Token<'_>)) {
    let mut walk = Walk { text, word: Word::default(), position: 0, wants, each };
    let mut edges = Edges::default();
    let level = Level::new();
    let mut room = [Kinds::default(); BLOCKS];
    let mut base = 0;
    for group in text.as_bytes().chunks(BLOCK * BLOCKS) {
        for kinds in kinds(level, group, &mut room) {
            edges.pass(kinds, base, |run| walk.run(run));
            base += BLOCK;
        }
    }
    if let Some(run) = edges.open {
        walk.run(Run { end: text.len(), ..run });
    }
}

/// A run of bytes that are parts of words.
#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    end: usize,
    /// Whether any letter of ASCII is a capital.
    has_capital: bool,
    /// Whether anything is not ASCII.
    has_other: bool,
}

/// Finds where runs start and end.
#[derive(Default)]
struct Edges {
    /// A run that has not ended yet.
    open: Option<Run>,
}

impl Edges {
    /// Passes on the runs that end in a block.
    #[inline]
    fn pass(&mut self, kinds: &Kinds, base: usize, mut each: impl FnMut(Run)) {
        let mut edges = kinds.word ^ (kinds.word << 1 | u64::from(self.open.is_some()));
        let mut run = self.open.unwrap_or_default();
        let mut is_open = self.open.is_some();
        // Which bits of the block have not been passed yet.
        let mut ahead = u64::MAX;
        while edges != 0 {
            let at = edges.trailing_zeros();
            let passed = ahead & !(u64::MAX << at);
            ahead = u64::MAX << at;
            edges &= edges - 1;
            if is_open {
                run.end = base + at as usize;
                run.has_capital |= kinds.capital & passed != 0;
                run.has_other |= kinds.other & passed != 0;
                each(run);
            } else {
                let start = base + at as usize;
                run = Run { start, end: start, has_capital: false, has_other: false };
            }
            is_open = !is_open;
        }
        run.has_capital |= kinds.capital & ahead != 0;
        run.has_other |= kinds.other & ahead != 0;
        self.open = is_open.then_some(run);
    }
}

struct Walk<'a, W, E> {
    text: &'a str,
    word: Word,
    position: u32,
    wants: W,
    each: E,
}

impl<W: Fn(u8, usize) -> bool, E: FnMut(Token<'_>)> Walk<'_, W, E> {
    /// Passes on the words of a run: one, if all of it is ASCII.
    #[inline]
    fn run(&mut self, run: Run) {
        let Run { start, end, .. } = run;
        if run.has_other {
            return self.mixed(start, end);
        }
        let first = self.text.as_bytes().get(start).map_or(0, u8::to_ascii_lowercase);
        if (self.wants)(first, end - start) {
            let text = self.text.get(start..end.min(start + LONGEST_TOKEN)).unwrap_or_default();
            let text = if run.has_capital { self.word.lower(text) } else { text };
            (self.each)(Token { text, start, end, position: self.position });
        }
        self.position = self.position.saturating_add(1);
    }

    /// Passes on the words of a run that has more than ASCII.
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
            let mut leaves_a_trace = false;
            fold(character, |folded, role| {
                leaves_a_trace = true;
                self.push(folded, role, at, end);
            });
            if !leaves_a_trace {
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

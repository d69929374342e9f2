//! Folds case, accents and compatibility forms.

use unicode_normalization::char::{
    canonical_combining_class, decompose_compatible, is_combining_mark,
};

/// The role of a folded character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It ends the current word.
    Separator,
    /// It is part of a word.
    Word,
    /// It is a word by itself: its script is written without spaces.
    Single,
    /// It belongs to the preceding `Single`: a voicing mark, or a later part of a Hangul syllable.
    Trailer,
}

/// Calls `each` with the folded characters; with none if the character is dropped without
/// separating words.
///
/// A separator is folded to a space.
pub(crate) fn fold(character: char, mut each: impl FnMut(char, Role)) {
    if is_dropped(character) {
        return;
    }
    if !is_part_of_word(character) {
        return each(' ', Role::Separator);
    }
    let mut each = |folded| each(folded, role(folded));
    decompose_compatible(character, |part| {
        if is_dropped(part) {
            return;
        }
        for lower in part.to_lowercase() {
            special(lower, &mut each);
        }
    });
}

/// Returns the role of a folded character.
fn role(folded: char) -> Role {
    match folded {
        _ if folded.is_ascii() => match folded.is_ascii_alphanumeric() {
            true => Role::Word,
            false => Role::Separator,
        },
        _ if is_trailer(folded) => Role::Trailer,
        _ if !is_part_of_word(folded) => Role::Separator,
        _ if is_spaceless(folded) => Role::Single,
        _ => Role::Word,
    }
}

/// Appends a folded character to a word, before any marks that follow it in canonical order.
pub(crate) fn append(word: &mut String, folded: char) {
    let class = canonical_combining_class(folded);
    let mut at = word.len();
    if class > 0 {
        for (index, before) in word.char_indices().rev() {
            if canonical_combining_class(before) <= class {
                break;
            }
            at = index;
        }
    }
    word.insert(at, folded);
}

/// Folds letters that have no decomposition but are often typed in another form.
fn special(lower: char, each: &mut impl FnMut(char)) {
    let plain = match lower {
        'ß' => "ss",
        'ø' => "o",
        'ł' => "l",
        'đ' => "d",
        'æ' => "ae",
        'œ' => "oe",
        'ı' => "i",
        'ς' => "σ",
        _ if is_dropped(lower) => return,
        _ if is_part_of_word(lower) => return each(lower),
        _ => " ",
    };
    plain.chars().for_each(each);
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Returns whether a character is an accent, a vowel point or an invisible character within words.
fn is_dropped(character: char) -> bool {
    match character {
        '\0'..='\u{AC}' => false,
        // Soft hyphen, joiners, byte order mark, variation selectors, enclosing marks.
        '\u{AD}' | '\u{34F}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}' => true,
        '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => true,
        '\u{AE}'..='\u{2FF}' => false,
        _ => matches!(canonical_combining_class(character), 200..=240 | 10..=35),
    }
}

fn is_trailer(character: char) -> bool {
    matches!(character, '\u{3099}' | '\u{309A}' | '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FF}')
}

/// Returns whether the script of a character is written without spaces between words.
pub(crate) fn is_spaceless(character: char) -> bool {
    matches!(character,
        // Thai, Lao, Myanmar, Hangul, Khmer.
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}'
        // Han, kana and their extensions.
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        // Hangul and Myanmar, extended.
        | '\u{A960}'..='\u{A97F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{1AFF0}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|character| fold(character, |part, _| append(&mut out, part)));
        out
    }

    #[test]
    fn folds_case_accents_and_forms() {
        for (text, expected) in [
            ("Ärger", "arger"),
            ("STRASSE straße STRAẞE", "strasse strasse strasse"),
            ("Søren Łódź Đakovo Æon Œuvre", "soren lodz dakovo aeon oeuvre"),
            ("İstanbul ılık", "istanbul ilik"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("ﬁle ｆｕｌｌ ℌ x²", "file full h x2"),
            ("Ёлка йод", "елка иод"),
            ("co\u{AD}op 1\u{FE0F}\u{20E3}", "coop 1"),
            ("שָׁלוֹם", "שלום"),
            ("मुंबई", "मुंबई"),
            ("ﾊﾟ", "ハ\u{309A}"),
            ("skein™", "skein "),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn folding_twice_is_folding_once_for_every_character() {
        for character in '\0'..=char::MAX {
            let once = folded(&character.to_string());
            assert_eq!(folded(&once), once, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn marks_are_in_canonical_order() {
        assert_eq!(folded("क\u{94D}\u{93C}"), folded("क\u{93C}\u{94D}"));
    }
}

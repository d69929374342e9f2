//! Words with characters beyond ASCII in bytes, folded without being cut.

use std::ops::Range;

use crate::fold::fold;

/// The bytes that are passed over at once if they are ASCII.
const BLOCK: usize = 256;

/// The bits that bytes of ASCII do not have, eight at once.
const BEYOND: u64 = 0x8080_8080_8080_8080;

/// Returns whether folding the words that are not plain ASCII gives letters that `is_in` finds.
///
/// A run may have a letter too many in front, left over from an escape such as `\n`, and more than one word; both only add
/// letters around those that are looked for.
pub(super) fn have(bytes: &[u8], letters: &str, is_in: impl Fn(&[u8]) -> bool) -> bool {
    let only_ascii = letters.is_ascii();
    let mut folded = String::new();
    let (mut at, mut done) = (0, 0);
    while let Some(other) = next_start(bytes, at, only_ascii) {
        let Some(character) = character(bytes, other) else {
            at = other + 1;
            continue;
        };
        if only_ascii && !may_be_ascii(character) {
            at = other + character.len_utf8();
            continue;
        }
        let run = run(bytes, other, done);
        (at, done) = (run.end, run.end);
        let run = bytes.get(run).unwrap_or_default();
        if only_ascii && most_ascii(run.len()) < letters.len() {
            continue;
        }
        folded.clear();
        fold_run(run, only_ascii, &mut folded);
        if is_in(folded.as_bytes()) {
            return true;
        }
    }
    false
}

/// Passes on each run of letters and digits in which something is beyond ASCII, and that may have a word of ASCII.
pub(crate) fn each_mixed_run(text: &str, mut each: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(other) = next_start(bytes, at, false) {
        let run = run(bytes, other, at);
        at = run.end;
        let run = text.get(run).unwrap_or_default();
        // Most often it is a dash between two spaces.
        let mut characters = run.chars();
        let is_far = characters.next().is_some_and(is_far_from_ascii);
        if !is_far || !characters.as_str().is_empty() {
            each(run);
        }
    }
}

/// Returns whether a byte can be a part of a word: letters and digits of ASCII, and everything beyond.
pub(crate) fn is_part_of_word(byte: &u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_alphanumeric()
}

/// Returns how many letters of ASCII so many bytes can fold to: Ⅷ has three and becomes four.
fn most_ascii(bytes: usize) -> usize {
    bytes + bytes / 3
}

/// Returns whether a character folds to letters of ASCII, or vanishes between them.
fn may_be_ascii(character: char) -> bool {
    if is_far_from_ascii(character) {
        return false;
    }
    let (mut any, mut plain) = (false, false);
    fold(character, |part, _| {
        any = true;
        plain |= part.is_ascii_alphanumeric();
    });
    plain || !any
}

/// Returns whether a character is a dash, a quotation mark, or in one of the large blocks of which none folds to ASCII and
/// none vanishes.
fn is_far_from_ascii(character: char) -> bool {
    matches!(
        character,
        '\u{2010}'..='\u{2023}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}'
    )
}

/// Returns where the next character beyond ASCII starts; if only ASCII is looked for, one that may have to do with it.
fn next_start(bytes: &[u8], from: usize, only_ascii: bool) -> Option<usize> {
    let is_start = |byte: &u8| match only_ascii {
        true => may_start_ascii(*byte),
        false => *byte >= 0xC2,
    };
    let mut at = from;
    loop {
        at += ascii_len(bytes.get(at..)?);
        if is_start(bytes.get(at)?) {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns how many bytes of ASCII come first.
fn ascii_len(bytes: &[u8]) -> usize {
    if !bytes.first().is_some_and(u8::is_ascii) {
        return 0;
    }
    let plain = bytes.chunks(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
    let (words, rest) = bytes.get(plain..).unwrap_or_default().as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let beyond = u64::from_le_bytes(*word) & BEYOND;
        if beyond != 0 {
            return plain + index * 8 + beyond.trailing_zeros() as usize / 8;
        }
    }
    let rest = rest.iter().take_while(|byte| byte.is_ascii()).count();
    plain.min(bytes.len()) + words.len() * 8 + rest
}

/// Returns whether a byte may be the first one of a character that folds to ASCII, or vanishes.
///
/// Most of Cyrillic, Han and Hangul is left out, and so are the bytes inside of characters.
fn may_start_ascii(byte: u8) -> bool {
    matches!(byte, 0xC2..=0xCF | 0xD2..=0xE3 | 0xEA | 0xEE..=0xF4)
}

/// Returns the character that starts here.
fn character(bytes: &[u8], at: usize) -> Option<char> {
    let length = match bytes.get(at)? {
        ..0xE0 => 2,
        ..0xF0 => 3,
        _ => 4,
    };
    str::from_utf8(bytes.get(at..at + length)?).ok()?.chars().next()
}

/// Returns the letters, digits and bytes beyond ASCII around a place, behind what is done.
fn run(bytes: &[u8], at: usize, done: usize) -> Range<usize> {
    let is_part = |byte: &&u8| is_part_of_word(byte);
    let before = bytes.get(done..at).unwrap_or_default();
    let behind = bytes.get(at..).unwrap_or_default();
    let start = at - before.iter().rev().take_while(is_part).count();
    start..at + behind.iter().take_while(is_part).count()
}

fn fold_run(run: &[u8], only_ascii: bool, folded: &mut String) {
    for chunk in run.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                _ if character.is_ascii() => folded.push(character.to_ascii_lowercase()),
                _ if only_ascii && is_far_from_ascii(character) => folded.push(' '),
                // Marks stay in the order they have: what is looked for is without them.
                _ => fold(character, |part, _| folded.push(part)),
            }
        }
        if !chunk.invalid().is_empty() {
            folded.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn have(bytes: &[u8], letters: &str) -> bool {
        super::have(bytes, letters, |folded| str::from_utf8(folded).unwrap().contains(letters))
    }

    #[test]
    fn no_character_folds_to_more_ascii_than_is_reckoned_with() {
        for character in '\u{80}'..=char::MAX {
            let mut plain = 0;
            fold(character, |part, _| plain += usize::from(part.is_ascii_alphanumeric()));
            assert!(plain <= most_ascii(character.len_utf8()), "{character}");
        }
    }

    #[test]
    fn sees_through_accents_forms_and_broken_bytes() {
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
            assert!(have(text.as_bytes(), letters), "{text}");
        }
        assert!(have(b"\xFF\xC3na\xC3\xAFve\xC3", "naive"));
        assert!(!have(b"na\xC3 \xAFive \xE6\xBC", "naive"));
        assert!(!have("nai—ve nai漢ve".as_bytes(), "naive"));
    }

    #[test]
    fn the_first_byte_beyond_ascii_is_found_at_every_place() {
        for length in [0, 1, 7, 8, 9, 255, 256, 257, 300, 512, 600] {
            let mut bytes = vec![b'a'; length];
            assert_eq!(ascii_len(&bytes), length);
            for at in (0..length).rev() {
                bytes[at] = 0xC3;
                assert_eq!(ascii_len(&bytes), at, "of {length}");
            }
        }
    }

    #[test]
    fn nothing_that_is_skipped_folds_to_ascii_or_vanishes() {
        for character in '\u{80}'..=char::MAX {
            let mut buffer = [0; 4];
            let first = character.encode_utf8(&mut buffer).as_bytes()[0];
            if is_far_from_ascii(character) || !may_start_ascii(first) {
                let mut folded = String::new();
                fold(character, |part, _| folded.push(part));
                let is_ascii = folded.bytes().any(|byte| byte.is_ascii_alphanumeric());
                assert!(!folded.is_empty() && !is_ascii, "U+{:04X}", u32::from(character));
            }
        }
    }
}

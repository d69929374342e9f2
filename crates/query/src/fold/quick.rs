//! What frequent characters fold to, without a look into the large tables.

use std::sync::LazyLock;

use super::{Role, fold_slowly};

/// What a character folds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quick {
    /// One character.
    One(char, Role),
    /// Nothing.
    Nothing,
    /// More than one, or not known here.
    Ask,
}

/// Latin, Greek, Cyrillic, Hebrew and their marks.
const ALPHABETS: u32 = 0x600;
const KANA: u32 = 0x3040;
const KANA_END: u32 = 0x3100;

static TABLE: LazyLock<Vec<Quick>> =
    LazyLock::new(|| (0..ALPHABETS).chain(KANA..KANA_END).map(ask).collect());

#[inline]
pub(super) fn quick(character: char) -> Quick {
    match character {
        '\0'..'\u{600}' => of_table(u32::from(character)),
        '\u{3040}'..'\u{3100}' => of_table(u32::from(character) - KANA + ALPHABETS),
        '\u{4E00}'..='\u{9FFF}' => Quick::One(character, Role::Single),
        // Dashes, quotes, arrows, signs, frames, emoji.
        '\u{2010}'..='\u{2027}' | '\u{2190}'..='\u{23FF}' | '\u{2500}'..='\u{2775}' => BLANK,
        '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{1F300}'..='\u{1FAFF}' => BLANK,
        _ => Quick::Ask,
    }
}

const BLANK: Quick = Quick::One(' ', Role::Separator);

#[inline]
fn of_table(index: u32) -> Quick {
    TABLE.get(index as usize).copied().unwrap_or(Quick::Ask)
}

fn ask(code: u32) -> Quick {
    let Some(character) = char::from_u32(code) else { return Quick::Ask };
    let mut quick = Quick::Nothing;
    fold_slowly(character, |folded, role| {
        quick = match quick {
            Quick::Nothing => Quick::One(folded, role),
            _ => Quick::Ask,
        };
    });
    quick
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables_for_every_character() {
        for character in '\0'..=char::MAX {
            let quick = quick(character);
            if quick != Quick::Ask {
                assert_eq!(quick, ask(u32::from(character)), "U+{:04X}", u32::from(character));
            }
        }
    }
}

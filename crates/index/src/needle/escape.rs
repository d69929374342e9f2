//! Escapes of JSON behind which letters may hide.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::fold::{Role, fold};

static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Returns whether the bytes have an escape `\uXXXX` that may be a letter, a digit or a mark.
///
/// The escapes of line feeds, tabs and the like separate words, in whatever way they are read.
pub(super) fn may_hide_letters(bytes: &[u8]) -> bool {
    ESCAPE.find_iter(bytes).any(|at| {
        let digits = bytes.get(at + 2..at + 6).and_then(|digits| str::from_utf8(digits).ok());
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).is_some_and(is_letter)
    })
}

/// Returns whether a unit of UTF-16 is anything but a separator; one half of a pair may be anything.
fn is_letter(unit: u32) -> bool {
    let Some(character) = char::from_u32(unit) else { return true };
    let (mut any, mut only_blanks) = (false, true);
    fold(character, |_, role| {
        any = true;
        only_blanks &= role == Role::Separator;
    });
    !any || !only_blanks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_punctuation_hide_nothing() {
        for harmless in ["", r"\u001b[0m \u2014 \u00a0", r"C:\users\unix", r"\u00", r"\u"] {
            assert!(!may_hide_letters(harmless.as_bytes()), "{harmless}");
        }
        for hiding in [r"\u0061", r"x\u00e9", r"\u0301", r"\ud835\udc00", r"\u00AD", r"\u6f22"] {
            assert!(may_hide_letters(hiding.as_bytes()), "{hiding}");
        }
    }
}

//! Where words may start and end in the bytes of a file, however they are written there.

use std::ops::Range;

use super::runs::is_part_of_word;
use crate::token::LONGEST_TOKEN;

/// Minimum length of a run of letters and digits that holds a secret and something else: when the secret is gone, what
/// is left over may be a word. The shortest is one letter before the eight digits of a Telegram token.
pub(crate) const LONG_RUN: usize = 9;

/// Which edges of a word letters must have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Edges {
    pub(super) start: bool,
    pub(super) end: bool,
}

impl Edges {
    /// Returns false where letters cannot be the word that is looked for, because others touch them.
    pub(super) fn may_be(self, bytes: &[u8], place: Range<usize>) -> bool {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let before = place.start.checked_sub(1).and_then(|at| bytes.get(at));
        let touched_before = self.start && is_letter(before) && !is_escape(bytes, place.start);
        let touched_behind =
            self.end && is_letter(bytes.get(place.end)) && place.len() < LONGEST_TOKEN;
        !(touched_before || touched_behind) || is_in_long_run(bytes, place.start)
    }
}

/// Returns whether what ends here may be an escape of JSON, such as `\\n` or `\\u2014`.
fn is_escape(bytes: &[u8], end: usize) -> bool {
    let behind = |length: usize| end.checked_sub(length).and_then(|start| bytes.get(start..end));
    behind(2).is_some_and(|escape| escape.starts_with(b"\\"))
        || behind(6).is_some_and(|escape| escape.starts_with(b"\\u"))
}

/// Returns whether a letter is in a run of letters and digits that is as long as one with a secret in it.
pub(crate) fn is_in_long_run(bytes: &[u8], at: usize) -> bool {
    let (before, behind) = bytes.split_at_checked(at).unwrap_or_default();
    let left = before.iter().rev().take(LONG_RUN).take_while(|byte| is_part_of_word(byte)).count();
    let right = behind.iter().take(LONG_RUN).take_while(|byte| is_part_of_word(byte)).count();
    left + right >= LONG_RUN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_others_touch_are_no_word() {
        let check = |text: &str, whole: bool, beginning: bool| {
            let start = text.find("so").unwrap();
            let may_be = |end| Edges { start: true, end }.may_be(text.as_bytes(), start..start + 2);
            assert_eq!((may_be(true), may_be(false)), (whole, beginning), "{text}");
            assert!(Edges::default().may_be(text.as_bytes(), start..start + 2));
        };
        check("so", true, true);
        check("(so)", true, true);
        check("also", false, false);
        check("some", false, true);
        check(r"\nso\n", true, true);
        check(r"\u2014so", true, true);
        check("éso", true, true);
        check("soé", true, true);
        check("so012345", false, true);
        check("0123456789so", true, true);
        check("so0123456789", true, true);
    }
}

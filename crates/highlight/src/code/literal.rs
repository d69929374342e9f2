//! Character literals, and literals with a prefix.

use crate::Class;
use crate::cursor::{Cursor, is_word};

use super::CodeScanner;
use super::quote::fence_length;

/// Maximum length of an escaped character, as in `'\u{10ffff}'`.
const MAX_ESCAPE_LEN: usize = 12;

impl CodeScanner {
    /// Reads a literal, if the word is its prefix.
    pub(crate) fn prefixed(&mut self, cursor: &mut Cursor<'_>, from: usize, word: &[u8]) -> bool {
        let code = self.code;
        if matches!(cursor.byte(), b'"' | b'\'' | b'#' | b'`') {
            for &(prefix, quote) in &code.prefixes {
                let ahead = cursor.rest().get(fence_length(cursor, quote)..).unwrap_or_default();
                let is_here = prefix.as_bytes() == word && ahead.starts_with(quote.open.as_bytes());
                if is_here && self.quote(cursor, from, quote) {
                    return true;
                }
            }
        }
        !code.grammar.quoters.is_empty()
            && code.grammar.quoters.split(' ').any(|quoter| quoter.as_bytes() == word)
            && !cursor.before_place(from).ends_with(b"->")
            && self.quoted(cursor, from, word)
    }

    /// Reads a character in quotes, if there is one.
    pub(crate) fn char(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let rest = cursor.rest();
        let length = if rest.get(1) == Some(&b'\\') {
            let tail = rest.get(3..).unwrap_or_default();
            tail.iter().take(MAX_ESCAPE_LEN).position(|&byte| byte == b'\'').map(|at| at + 4)
        } else {
            let width = width(cursor.ahead(1));
            (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        };
        let Some(length) = length else {
            return false;
        };
        cursor.take(length, Class::String);
        self.finish_operand()
    }

    /// Reads a character in quotes or a lifetime.
    pub(crate) fn lifetime(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if self.char(cursor) {
            return true;
        }
        let next = cursor.ahead(1);
        if !is_word(next) || next.is_ascii_digit() {
            return false;
        }
        self.named(cursor, Class::Type, is_word)
    }

    /// Reads the current byte and the following name as one token.
    pub(crate) fn named(
        &mut self,
        cursor: &mut Cursor<'_>,
        class: Class,
        is_inside: impl Fn(u8) -> bool,
    ) -> bool {
        let from = cursor.at();
        cursor.skip(1);
        cursor.skip_while(is_inside);
        cursor.paint(from, class);
        self.finish_operand()
    }
}

/// Returns the length of a character in bytes, by its first byte.
const fn width(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}

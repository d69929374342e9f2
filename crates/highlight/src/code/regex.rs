//! Regular expressions between slashes.

use crate::Class;
use crate::cursor::{Cursor, is_blank};

use super::CodeScanner;
use super::mode::Previous;

impl CodeScanner {
    /// Reads a regular expression, unless the slash is a division.
    pub(crate) fn regex(&mut self, cursor: &mut Cursor<'_>, may_be_argument: bool) -> bool {
        let is_tight = !is_blank(cursor.ahead(1)) && cursor.ahead(1) != b'=';
        let may_begin = match self.previous {
            Previous::Operator => true,
            Previous::Start => is_tight,
            Previous::Operand => may_be_argument && is_tight && is_blank(cursor.behind(1)),
        };
        if !may_begin || self.unclosed.contains(&b'/') {
            return false;
        }
        let Some(length) = length(cursor.rest()) else {
            self.unclosed.push(b'/');
            return false;
        };
        let from = cursor.at();
        cursor.skip(length);
        cursor.skip_while(|byte| byte.is_ascii_alphabetic());
        cursor.paint(from, Class::String);
        self.finish_operand()
    }
}

/// Returns the length of a regular expression with its slashes. A slash in a character class does
/// not end it.
fn length(text: &[u8]) -> Option<usize> {
    let mut is_class = false;
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return (at > 1).then_some(at + 1),
            _ => {}
        }
    }
    None
}

//! Literals with delimiters chosen by the author.

use crate::Class;
use crate::cursor::{Cursor, is_blank};

use super::CodeScanner;
use super::mode::{OpenConstruct, Previous};

impl CodeScanner {
    /// Reads a Perl literal after its operator, such as `qw`.
    pub(crate) fn quoted(&mut self, cursor: &mut Cursor<'_>, from: usize, word: &[u8]) -> bool {
        let parts = if matches!(word, b"s" | b"tr" | b"y") { 2 } else { 1 };
        let is_pattern = cursor.byte() == b'/' && self.previous == Previous::Operator;
        if is_pattern && matches!(word, b"m" | b"qr" | b"s") {
            return self.enter_lines(cursor, from, 0, parts);
        }
        self.enter(cursor, from, 0, parts)
    }

    /// Reads `%w[…]` of Ruby.
    pub(crate) fn percent(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let has_letter =
            matches!(cursor.ahead(1), b'w' | b'W' | b'i' | b'I' | b'q' | b'Q' | b'r' | b's' | b'x');
        let is_apart = is_blank(cursor.behind(1)) && !is_blank(cursor.ahead(1));
        if self.previous == Previous::Operand && !is_apart {
            return false;
        }
        self.enter(cursor, cursor.at(), if has_letter { 2 } else { 1 }, 1)
    }

    /// Reads `~r/…/` of Elixir.
    pub(crate) fn sigil(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let letters =
            cursor.rest().iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            return false;
        }
        let from = cursor.at();
        let body = cursor.rest().get(1 + letters..).unwrap_or_default();
        for close in ["\"\"\"", "'''"] {
            if body.starts_with(close.as_bytes()) {
                cursor.skip(1 + letters + close.len());
                self.modes.push(OpenConstruct::Until { close: close.as_bytes().into() });
                self.until(cursor, from);
                return true;
            }
        }
        self.enter(cursor, from, 1 + letters, 1)
    }

    /// Enters a literal whose opening byte is `ahead` bytes ahead. Unless that is a bracket, the
    /// literal must end on this line.
    fn enter(&mut self, cursor: &mut Cursor<'_>, from: usize, ahead: usize, parts: u32) -> bool {
        let open = cursor.ahead(ahead);
        let is_bracket = matches!(open, b'(' | b'[' | b'{' | b'<');
        (is_bracket || self.is_closed(cursor, ahead + 1, open))
            && self.enter_lines(cursor, from, ahead, parts)
    }

    /// Enters a literal whose opening byte is `ahead` bytes ahead.
    fn enter_lines(
        &mut self,
        cursor: &mut Cursor<'_>,
        from: usize,
        ahead: usize,
        parts: u32,
    ) -> bool {
        let open = cursor.ahead(ahead);
        let Some(close) = closing(open) else {
            return false;
        };
        cursor.skip(ahead + 1);
        self.modes.push(OpenConstruct::Delimited { open, close, depth: 1, parts });
        self.delimited(cursor, from);
        true
    }

    /// Returns whether the line contains the closing byte.
    fn is_closed(&mut self, cursor: &Cursor<'_>, ahead: usize, close: u8) -> bool {
        if self.unclosed.contains(&close) {
            return false;
        }
        let is_closed = cursor.rest().get(ahead..).is_some_and(|rest| rest.contains(&close));
        if !is_closed {
            self.unclosed.push(close);
        }
        is_closed
    }

    /// Reads a literal to its end or the end of the line.
    pub(crate) fn delimited(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        while !cursor.is_done() {
            let byte = cursor.byte();
            cursor.skip(if byte == b'\\' { 2 } else { 1 });
            let Some(OpenConstruct::Delimited { open, close, depth, parts }) =
                self.modes.last_mut()
            else {
                return;
            };
            if byte == *close {
                *depth -= 1;
            } else if byte == *open {
                *depth = depth.saturating_add(1);
            }
            if *depth > 0 {
                continue;
            }
            *parts -= 1;
            let next = if open == close { Some((*open, *close)) } else { second(cursor) };
            let Some(next) = next.filter(|_| *parts > 0) else {
                cursor.skip_while(|byte| byte.is_ascii_alphabetic());
                cursor.paint(from, Class::String);
                return self.close();
            };
            (*open, *close, *depth) = (next.0, next.1, 1);
        }
        cursor.paint(from, Class::String);
    }
}

/// Returns the brackets of a second part, and skips the opening one.
fn second(cursor: &mut Cursor<'_>) -> Option<(u8, u8)> {
    let blanks = cursor.rest().iter().take_while(|&&byte| is_blank(byte)).count();
    let open = cursor.ahead(blanks);
    let close = closing(open)?;
    cursor.skip(blanks + 1);
    Some((open, close))
}

const fn closing(open: u8) -> Option<u8> {
    match open {
        b'(' => Some(b')'),
        b'[' => Some(b']'),
        b'{' => Some(b'}'),
        b'<' => Some(b'>'),
        b'/' | b'|' | b'!' | b'#' | b'~' | b'^' | b'"' | b'\'' => Some(open),
        _ => None,
    }
}

//! Numbers, and dates in formats that have them.

use crate::Class;
use crate::cursor::Cursor;

use super::CodeScanner;
use super::grammar::Numbers;

impl CodeScanner {
    pub(crate) fn number(&mut self, cursor: &mut Cursor<'_>) {
        let from = cursor.at();
        let is_hex = cursor.byte() == b'0' && matches!(cursor.ahead(1), b'x' | b'X');
        let numbers = self.code.grammar.numbers;
        loop {
            cursor.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let next = cursor.ahead(1);
            let continues = match cursor.byte() {
                b'.' => next.is_ascii_digit(),
                b'\'' => numbers == Numbers::Apostrophes && next.is_ascii_alphanumeric(),
                b'+' | b'-' if is_exponent(cursor.behind(1), is_hex) => next.is_ascii_digit(),
                b'+' | b'-' | b':' => numbers == Numbers::Dates && next.is_ascii_digit(),
                _ => false,
            };
            if !continues {
                break;
            }
            cursor.skip(1);
        }
        cursor.paint(from, Class::Number);
        self.finish_operand();
    }
}

const fn is_exponent(byte: u8, is_hex: bool) -> bool {
    matches!((byte, is_hex), (b'e' | b'E', false) | (b'p' | b'P', true))
}

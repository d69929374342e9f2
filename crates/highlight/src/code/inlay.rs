//! Annotations in brackets.

use crate::cursor::{Cursor, is_word};

use super::CodeScanner;
use super::grammar::Inlay;
use super::mode::Previous;

impl CodeScanner {
    /// Reads an annotation to its closing bracket. If it is not closed on this line, only its name
    /// is coloured.
    pub(crate) fn inlay(&mut self, cursor: &mut Cursor<'_>, inlay: &Inlay) -> bool {
        let from = cursor.at();
        let length =
            if self.unclosed.contains(&inlay.close) { None } else { length(cursor.rest(), inlay) };
        match length {
            Some(length) => cursor.skip(length),
            None => {
                self.unclosed.push(inlay.close);
                cursor.skip(inlay.open.len());
                cursor.skip_while(|byte| is_word(byte) || byte == b':');
            }
        }
        cursor.paint(from, inlay.class);
        self.previous = Previous::Operator;
        self.expects = None;
        true
    }
}

/// Returns the length of an annotation that ends on its line.
fn length(text: &[u8], inlay: &Inlay) -> Option<usize> {
    let open = if inlay.close == b']' { b'[' } else { b'{' };
    let mut depth = 0_u32;
    let mut is_string = false;
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            _ if byte == open => depth += 1,
            _ if byte == inlay.close && depth <= 1 => return Some(at + 1),
            _ if byte == inlay.close => depth -= 1,
            _ => {}
        }
    }
    None
}

//! Constructs that begin with a [`Mark`].

use crate::Class;
use crate::cursor::{Cursor, is_blank, is_word};

use super::heredoc::Announcement;
use super::mode::Previous;
use super::{CodeScanner, Mark};

impl CodeScanner {
    /// Reads the construct of a mark; returns false if there is none at the cursor.
    pub(crate) fn mark(&mut self, cursor: &mut Cursor<'_>, mark: Mark) -> bool {
        match mark {
            Mark::Attribute => self.at_name(cursor, Class::Attribute),
            Mark::Builtin => self.at_name(cursor, Class::Function),
            Mark::Symbol => self.symbol(cursor),
            Mark::Preprocessor => self.preprocessor(cursor),
            Mark::Regex => self.regex(cursor, false),
            Mark::Pattern => self.regex(cursor, true),
            Mark::Lifetime => self.lifetime(cursor),
            Mark::Char => self.char(cursor),
            Mark::Literal => self.skip_value(cursor, 2),
            Mark::Question => self.question(cursor),
            Mark::LispChar => self.lisp_char(cursor),
            Mark::HashLiteral => cursor.ahead(1) == b'\\' && self.skip_value(cursor, 3),
            Mark::Command => self.command(cursor),
            Mark::Variable => self.variable(cursor),
            Mark::Scalar => self.scalar(cursor),
            Mark::Section => self.section(cursor),
            Mark::Percent => self.percent(cursor),
            Mark::Sigil => self.sigil(cursor),
            Mark::ShellHeredoc => self.announce(cursor, Announcement::Free),
            Mark::Heredoc => self.announce(cursor, Announcement::Tagged),
            Mark::PhpHeredoc => self.announce(cursor, Announcement::Triple),
            Mark::Element => self.element(cursor),
            Mark::LineString => self.line_string(cursor),
        }
    }

    /// Skips a value without colouring it.
    fn skip_value(&mut self, cursor: &mut Cursor<'_>, count: usize) -> bool {
        cursor.skip(count);
        self.finish_operand()
    }

    fn at_name(&mut self, cursor: &mut Cursor<'_>, class: Class) -> bool {
        let next = cursor.ahead(1);
        if is_word(cursor.behind(1)) || !is_word(next) || next.is_ascii_digit() {
            return false;
        }
        self.named(cursor, class, |byte| is_word(byte) || byte == b'.')
    }

    fn symbol(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let next = cursor.ahead(1);
        if next == b':' {
            return self.skip_value(cursor, 2);
        }
        let is_apart =
            !is_word(cursor.behind(1)) && !matches!(cursor.behind(1), b')' | b']' | b'"');
        if !is_apart || !is_word(next) || next.is_ascii_digit() {
            return false;
        }
        let code = self.code;
        self.named(cursor, Class::Constant, |byte| code.is_inside(byte))
    }

    fn preprocessor(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if self.previous != Previous::Start || !self.modes.is_empty() {
            return false;
        }
        let from = cursor.at();
        cursor.skip(1);
        cursor.skip_blank();
        let name = cursor.at();
        cursor.skip_while(is_word);
        match cursor.since(name) {
            b"include" | b"import" | b"include_next" => {
                cursor.paint(from, Class::Meta);
                cursor.skip_blank();
                if cursor.byte() == b'<' {
                    let length = cursor.distance_past(b">").unwrap_or(0);
                    cursor.take(length, Class::String);
                }
            }
            b"error" | b"warning" | b"pragma" | b"region" | b"endregion" => {
                cursor.skip_all();
                cursor.paint(from, Class::Meta);
            }
            _ => cursor.paint(from, Class::Meta),
        }
        self.previous = Previous::Operator;
        true
    }

    fn question(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let next = cursor.ahead(1);
        if self.previous == Previous::Operand || is_blank(next) || next == 0 {
            return false;
        }
        self.skip_value(cursor, if next == b'\\' { 3 } else { 2 })
    }

    fn lisp_char(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let is_apart =
            is_blank(cursor.behind(1)) || matches!(cursor.behind(1), b'(' | b'[' | b'\'');
        is_apart && self.skip_value(cursor, if cursor.ahead(1) == b'\\' { 3 } else { 2 })
    }

    fn command(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if !cursor.ahead(1).is_ascii_alphabetic() {
            return self.skip_value(cursor, 2);
        }
        let from = cursor.at();
        self.named(cursor, Class::Keyword, |byte| byte.is_ascii_alphabetic() || byte == b'*');
        if matches!(cursor.since(from), b"\\begin" | b"\\end") && cursor.byte() == b'{' {
            cursor.skip(1);
            let name = cursor.at();
            cursor.skip_while(|byte| byte != b'}');
            cursor.paint(name, Class::Type);
        }
        true
    }

    fn variable(&mut self, cursor: &mut Cursor<'_>) -> bool {
        match cursor.ahead(1) {
            b'{' => {
                let length = braces(cursor.rest()).unwrap_or(2);
                self.skip_value(cursor, length)
            }
            b'#' | b'?' | b'!' | b'@' | b'*' | b'-' | b'$' => self.skip_value(cursor, 2),
            next if is_word(next) => {
                cursor.skip(1);
                cursor.skip_while(is_word);
                self.skip_value(cursor, 0)
            }
            _ => false,
        }
    }

    fn scalar(&mut self, cursor: &mut Cursor<'_>) -> bool {
        match cursor.ahead(1) {
            next if is_word(next) || next == b':' => {
                cursor.skip(1);
                cursor.skip_while(|byte| is_word(byte) || byte == b':');
                self.skip_value(cursor, 0)
            }
            b'{' | b'$' | b'(' | b')' | b' ' | b'\t' | 0 => false,
            _ => self.skip_value(cursor, 2),
        }
    }

    fn section(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let is_first = self.previous == Previous::Start && self.modes.is_empty();
        if !is_first {
            return false;
        }
        let rest = cursor.rest();
        let length = rest.iter().position(|&byte| byte == b']').map_or(0, |at| at + 1);
        let length = length + usize::from(rest.get(length) == Some(&b']'));
        let (head, tail) = rest.split_at_checked(length).unwrap_or_default();
        let is_list = head.iter().any(|byte| matches!(byte, b',' | b'='));
        let is_alone = matches!(tail.trim_ascii_start().first(), None | Some(b'#' | b';'));
        if length == 0 || is_list || !is_alone {
            return false;
        }
        cursor.take(length, Class::Meta);
        true
    }

    fn line_string(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if cursor.ahead(1) != b'\\' {
            return false;
        }
        cursor.take_all(Class::String);
        true
    }
}

/// Maximum length of `${…}`; bounds the time for a line with many unclosed ones.
const MAX_EXPANSION_LEN: usize = 200;

/// Returns the length of `${…}`, with nested braces.
fn braces(text: &[u8]) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, &byte) in text.iter().enumerate().take(MAX_EXPANSION_LEN) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

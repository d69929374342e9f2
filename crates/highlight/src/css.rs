//! Style sheets.

use super::Class;
use super::cursor::{Cursor, is_blank, is_word};
use super::scan::LineScanner;

/// Maximum distance to the end of a declaration, to distinguish it from a selector.
const MAX_LOOKAHEAD: usize = 200;

/// Reads a style sheet.
pub(crate) struct CssScanner {
    /// Whether the dialect has nested rules and line comments.
    is_extended: bool,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a rule or a declaration.
    Rule,
    /// After the colon of a declaration.
    Value,
    Comment(bool),
}

impl CssScanner {
    pub(crate) const fn plain() -> Self {
        Self { is_extended: false, place: Place::Rule }
    }

    pub(crate) const fn extended() -> Self {
        Self { is_extended: true, place: Place::Rule }
    }

    fn comment(&mut self, cursor: &mut Cursor<'_>, from: usize, is_value: bool) {
        let is_closed = cursor.skip_to(b"*/");
        cursor.skip(2);
        cursor.paint(from, Class::Comment);
        self.place = match (is_closed, is_value) {
            (false, _) => Place::Comment(is_value),
            (true, true) => Place::Value,
            (true, false) => Place::Rule,
        };
    }

    fn token(&mut self, cursor: &mut Cursor<'_>) {
        let is_value = self.place == Place::Value;
        match (cursor.byte(), cursor.ahead(1)) {
            (b'/', b'*') => {
                let from = cursor.at();
                cursor.skip(2);
                self.comment(cursor, from, is_value);
            }
            (b'/', b'/') if self.is_extended => cursor.take_all(Class::Comment),
            (quote @ (b'"' | b'\''), _) => string(cursor, quote),
            (b'{' | b'}' | b';', _) => {
                self.place = Place::Rule;
                cursor.skip(1);
            }
            (b'@', next) if is_name(next) => named(cursor, Class::Keyword),
            (b'!', next) if is_name(next) => named(cursor, Class::Keyword),
            (b'#', next) if is_name(next) => {
                named(cursor, if is_value { Class::Number } else { Class::Constant });
            }
            (b'.', next) if !is_value && is_name(next) => named(cursor, Class::Type),
            (b'&' | b'%', next) if is_name(next) => cursor.skip(2),
            (b'$', next) if is_name(next) => self.word(cursor),
            (b'.' | b'-' | b'+', b'0'..=b'9') | (b'0'..=b'9', _) => number(cursor),
            (byte, _) if is_name(byte) => self.word(cursor),
            _ => cursor.skip(1),
        }
    }

    fn word(&mut self, cursor: &mut Cursor<'_>) {
        let from = cursor.at();
        cursor.skip(1);
        cursor.skip_while(is_name);
        if cursor.byte() == b'(' {
            let is_address = cursor.since(from) == b"url";
            cursor.paint(from, Class::Function);
            if is_address && !matches!(cursor.ahead(1), b'"' | b'\'') {
                cursor.skip(1);
                let from = cursor.at();
                cursor.skip_while(|byte| byte != b')');
                cursor.paint(from, Class::String);
            }
        } else if self.place == Place::Rule {
            self.head(cursor, from);
        }
    }

    /// Colours the name of a property, or of an element in a selector.
    fn head(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let rest = cursor.rest().trim_ascii_start();
        if let Some((b':', value)) = rest.split_first()
            && is_value(value)
        {
            cursor.paint(from, Class::Attribute);
            cursor.skip_to(b":");
            cursor.skip(1);
            self.place = Place::Value;
        } else if !matches!(cursor.before_place(from).last(), Some(b':'))
            && !cursor.since(from).starts_with(b"$")
        {
            cursor.paint(from, Class::Meta);
        }
    }
}

impl LineScanner for CssScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        if let Place::Comment(is_value) = self.place {
            self.comment(cursor, cursor.at(), is_value);
        }
        while !cursor.is_done() {
            self.token(cursor);
        }
    }
}

/// Returns whether a value follows a colon, and not the rest of a selector such as `a:hover`.
fn is_value(after_colon: &[u8]) -> bool {
    let mut ahead = after_colon.iter().take(MAX_LOOKAHEAD);
    match after_colon.first() {
        None => true,
        Some(b':') => false,
        Some(&byte) if is_blank(byte) => true,
        Some(_) => !matches!(
            ahead.find(|byte| matches!(byte, b'{' | b';' | b'}' | b',')),
            None | Some(b'{' | b',')
        ),
    }
}

fn string(cursor: &mut Cursor<'_>, quote: u8) {
    let from = cursor.at();
    cursor.skip(1);
    while !cursor.is_done() && cursor.byte() != quote {
        cursor.skip(if cursor.byte() == b'\\' { 2 } else { 1 });
    }
    cursor.skip(1);
    cursor.paint(from, Class::String);
}

fn named(cursor: &mut Cursor<'_>, class: Class) {
    let from = cursor.at();
    cursor.skip(1);
    cursor.skip_while(is_name);
    cursor.paint(from, class);
}

fn number(cursor: &mut Cursor<'_>) {
    let from = cursor.at();
    cursor.skip(1);
    cursor.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'%'));
    cursor.paint(from, Class::Number);
}

const fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

//! HTML, XML and formats based on them.

use super::Class;
use super::code::CodeScanner;
use super::css::CssScanner;
use super::cursor::{Cursor, is_blank, is_word};
use super::scan::LineScanner;
use super::tables::web::{JAVASCRIPT, JSON, PHP, TYPESCRIPT};

/// Reads HTML, XML and PHP.
pub(crate) struct MarkupScanner {
    dialect: Dialect,
    place: Place,
    /// The language of the content of the open tag.
    content: Option<Content>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Html,
    Php,
    Xml,
}

enum Place {
    Text,
    /// Inside a tag, and whether the cursor is after an equals sign.
    Tag(bool),
    /// Inside the value of an attribute.
    Value(u8),
    Comment,
    /// Inside code of another language, up to a closing tag.
    Code(Box<dyn LineScanner>, &'static [u8]),
}

/// Content of an element that is not markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Script,
    TypeScript,
    Json,
    Style,
    ExtendedStyle,
}

impl MarkupScanner {
    pub(crate) const fn html() -> Self {
        Self::new(Dialect::Html)
    }

    pub(crate) const fn php() -> Self {
        Self::new(Dialect::Php)
    }

    pub(crate) const fn xml() -> Self {
        Self::new(Dialect::Xml)
    }

    const fn new(dialect: Dialect) -> Self {
        Self { dialect, place: Place::Text, content: None }
    }

    fn text(&mut self, cursor: &mut Cursor<'_>) {
        cursor.skip_while(|byte| byte != b'<' && byte != b'&');
        if cursor.is_done() {
            return;
        }
        if cursor.byte() == b'&' {
            return entity(cursor);
        }
        let from = cursor.at();
        if cursor.sees("<!--") {
            cursor.skip(4);
            return self.comment(cursor, from);
        }
        if self.code_tag(cursor) {
            return;
        }
        let name = 1 + usize::from(matches!(cursor.ahead(1), b'/' | b'!' | b'?'));
        if !is_word(cursor.ahead(name)) {
            return cursor.skip(1);
        }
        cursor.skip(name);
        cursor.skip_while(is_name);
        cursor.paint(from, Class::Meta);
        self.content = match cursor.since(from) {
            _ if self.dialect == Dialect::Xml => None,
            b"<script" => Some(Content::Script),
            b"<style" => Some(Content::Style),
            _ => None,
        };
        self.place = Place::Tag(false);
    }

    /// Enters PHP code.
    fn code_tag(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if self.dialect != Dialect::Php || !(cursor.sees("<?php") || cursor.sees("<?=")) {
            return false;
        }
        let length = if cursor.sees("<?=") { 3 } else { 5 };
        cursor.take(length, Class::Meta);
        self.place = Place::Code(Box::new(CodeScanner::new(&PHP)), b"?>");
        true
    }

    fn tag(&mut self, cursor: &mut Cursor<'_>, is_assigned: bool) {
        let from = cursor.at();
        match cursor.byte() {
            byte if is_blank(byte) => cursor.skip_blank(),
            b'>' => {
                cursor.take(1, Class::Meta);
                self.place = self.content.take().map_or(Place::Text, Content::place);
            }
            b'/' | b'?' if cursor.ahead(1) == b'>' => {
                cursor.take(2, Class::Meta);
                self.content = None;
                self.place = Place::Text;
            }
            b'<' if self.code_tag(cursor) => {}
            // An unclosed tag ends at the start of the next one.
            b'<' if !is_assigned => self.place = Place::Text,
            b'=' => {
                cursor.skip(1);
                self.place = Place::Tag(true);
            }
            quote @ (b'"' | b'\'') => {
                cursor.skip(1);
                self.place = Place::Value(quote);
                self.value(cursor, from, quote);
            }
            _ => {
                cursor.skip(1);
                cursor.skip_while(|byte| {
                    !is_blank(byte) && !matches!(byte, b'=' | b'>' | b'"' | b'\'' | b'<')
                });
                cursor.paint(from, if is_assigned { Class::String } else { Class::Attribute });
                self.place = Place::Tag(false);
            }
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'_>, from: usize, quote: u8) {
        cursor.skip_while(|byte| byte != quote);
        if !cursor.is_done() {
            self.content = self.content.map(|content| content.with(cursor.since(from + 1)));
            cursor.skip(1);
            self.place = Place::Tag(false);
        }
        cursor.paint(from, Class::String);
    }

    fn comment(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let is_closed = cursor.skip_to(b"-->");
        cursor.skip(3);
        cursor.paint(from, Class::Comment);
        self.place = if is_closed { Place::Text } else { Place::Comment };
    }
}

impl LineScanner for MarkupScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        while !cursor.is_done() {
            match &mut self.place {
                Place::Text => self.text(cursor),
                Place::Tag(is_assigned) => {
                    let is_assigned = *is_assigned;
                    self.tag(cursor, is_assigned);
                }
                Place::Value(quote) => {
                    let quote = *quote;
                    self.value(cursor, cursor.at(), quote);
                }
                Place::Comment => self.comment(cursor, cursor.at()),
                Place::Code(scanner, close) => {
                    let Some(length) = position(cursor.rest(), close) else {
                        return scanner.line(cursor);
                    };
                    cursor.within(cursor.at() + length, |part| scanner.line(part));
                    if *close == b"?>" {
                        cursor.take(2, Class::Meta);
                    }
                    self.place = Place::Text;
                }
            }
        }
    }
}

impl Content {
    fn place(self) -> Place {
        let script = |code| -> Box<dyn LineScanner> { Box::new(CodeScanner::new(code)) };
        match self {
            Self::Script => Place::Code(script(&JAVASCRIPT), b"</script"),
            Self::TypeScript => Place::Code(script(&TYPESCRIPT), b"</script"),
            Self::Json => Place::Code(script(&JSON), b"</script"),
            Self::Style => Place::Code(Box::new(CssScanner::plain()), b"</style"),
            Self::ExtendedStyle => Place::Code(Box::new(CssScanner::extended()), b"</style"),
        }
    }

    /// Returns the content of the element if one of its attributes has this value.
    fn with(self, value: &[u8]) -> Self {
        match (self, value) {
            (Self::Script, b"ts" | b"tsx" | b"typescript") => Self::TypeScript,
            (Self::Script, value) if value.ends_with(b"json") || value == b"importmap" => {
                Self::Json
            }
            (Self::Style, b"scss" | b"less" | b"sass") => Self::ExtendedStyle,
            _ => self,
        }
    }
}

/// Reads `&name;`, or only the ampersand.
fn entity(cursor: &mut Cursor<'_>) {
    let ahead = cursor.rest().iter().skip(1).take(32);
    let length = ahead.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    if length > 0 && cursor.ahead(length + 1) == b';' {
        cursor.take(length + 2, Class::Constant);
    } else {
        cursor.skip(1);
    }
}

/// Returns the position of a closing tag, in any case.
fn position(text: &[u8], close: &[u8]) -> Option<usize> {
    text.windows(close.len()).position(|part| part.eq_ignore_ascii_case(close))
}

const fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b':' | b'.')
}

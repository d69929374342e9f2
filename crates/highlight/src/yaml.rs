//! YAML.

use super::Class;
use super::cursor::{Cursor, is_blank};
use super::scalar::scalar_class;
use super::scan::LineScanner;

/// Reads a YAML file.
#[derive(Default)]
pub(crate) struct YamlScanner {
    open: Open,
}

/// The construct that a line leaves open.
#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    /// A block scalar, indented deeper than this.
    Block(usize),
    /// A string in quotes.
    Quote(u8),
}

impl LineScanner for YamlScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        match self.open {
            Open::Block(indent) => {
                let is_empty = cursor.rest().trim_ascii().is_empty();
                if is_empty || leading_spaces(cursor) > indent {
                    return cursor.take_all(Class::String);
                }
                self.open = Open::Nothing;
            }
            Open::Quote(quote) => self.quoted(cursor, cursor.at(), quote),
            Open::Nothing => {}
        }
        if cursor.at() == 0 && ["---", "...", "%"].iter().any(|mark| cursor.sees(mark)) {
            cursor.skip_while(|byte| !is_blank(byte));
            cursor.paint(0, Class::Meta);
        }
        let indent = self.entry(cursor);
        self.value(cursor, indent);
    }
}

impl YamlScanner {
    /// Reads list markers and the key, and returns the indentation that a block scalar must exceed.
    fn entry(&self, cursor: &mut Cursor<'_>) -> usize {
        let mut indent = leading_spaces(cursor);
        loop {
            cursor.skip_blank();
            let is_mark =
                matches!(cursor.byte(), b'-' | b'?') && matches!(cursor.ahead(1), b' ' | 0);
            if !is_mark {
                break;
            }
            indent = cursor.at();
            cursor.skip(1);
        }
        if let Some(length) = key_length(cursor.rest()) {
            indent = cursor.at();
            cursor.take(length, Class::Attribute);
            cursor.skip_blank();
            cursor.skip(1);
        }
        indent
    }

    fn value(&mut self, cursor: &mut Cursor<'_>, indent: usize) {
        let mut is_start = true;
        while !cursor.is_done() {
            match cursor.byte() {
                byte if is_blank(byte) => {
                    cursor.skip_blank();
                    continue;
                }
                b'#' if is_blank(cursor.behind(1)) || cursor.at() == 0 => {
                    return cursor.take_all(Class::Comment);
                }
                quote @ (b'"' | b'\'') if is_start => {
                    let from = cursor.at();
                    cursor.skip(1);
                    self.quoted(cursor, from, quote);
                }
                b'|' | b'>' if is_start && is_block_header(cursor.rest()) => {
                    self.open = Open::Block(indent);
                    let from = cursor.at();
                    cursor.skip_while(|byte| !is_blank(byte));
                    cursor.paint(from, Class::Keyword);
                }
                b'&' | b'*' | b'!' if is_start => {
                    let from = cursor.at();
                    cursor.skip_while(|byte| !is_blank(byte) && byte != b',');
                    cursor.paint(from, Class::Meta);
                    continue;
                }
                b'[' | b']' | b'{' | b'}' | b',' => {
                    cursor.skip(1);
                    is_start = true;
                    continue;
                }
                _ if is_start => plain(cursor),
                _ => cursor.skip(1),
            }
            is_start = false;
        }
    }

    /// Reads a string to its end or the end of the line.
    fn quoted(&mut self, cursor: &mut Cursor<'_>, from: usize, quote: u8) {
        self.open = Open::Quote(quote);
        while !cursor.is_done() {
            let byte = cursor.byte();
            cursor.skip(if byte == b'\\' && quote == b'"' { 2 } else { 1 });
            if byte == quote && quote == b'\'' && cursor.byte() == quote {
                cursor.skip(1);
            } else if byte == quote {
                self.open = Open::Nothing;
                break;
            }
        }
        let is_key = matches!(self.open, Open::Nothing) && cursor.sees(":");
        cursor.paint(from, if is_key { Class::Attribute } else { Class::String });
    }
}

/// Reads a value without quotes, or a key in braces.
fn plain(cursor: &mut Cursor<'_>) {
    let from = cursor.at();
    cursor.skip(1);
    loop {
        cursor.skip_while(|byte| !matches!(byte, b':' | b'#' | b',' | b'[' | b']' | b'{' | b'}'));
        let is_end = match cursor.byte() {
            b':' => matches!(cursor.ahead(1), b' ' | 0),
            b'#' => is_blank(cursor.behind(1)),
            _ => true,
        };
        if is_end {
            break;
        }
        cursor.skip(1);
    }
    let text = cursor.since(from);
    let class = if cursor.byte() == b':' { Some(Class::Attribute) } else { scalar_class(text) };
    if let Some(class) = class {
        let end = from + text.trim_ascii_end().len();
        cursor.paint_range(from..end, class);
    }
}

/// Returns the length of the key at the start of a line.
fn key_length(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'#' | b'[' | b'{' | b'|' | b'>' | b'&' | b'*' | b'!' | b'%' => return None,
        quote @ (b'"' | b'\'') => {
            let close = text.iter().skip(1).position(|byte| byte == quote)? + 2;
            let after = text.get(close..)?.trim_ascii_start();
            return (after == b":" || after.starts_with(b": ")).then_some(close);
        }
        _ => {}
    }
    let mut before = 0;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'#' if is_blank(before) => return None,
            b':' if text.get(at + 1).is_none_or(|&next| is_blank(next)) => {
                return Some(text.get(..at)?.trim_ascii_end().len());
            }
            _ => before = byte,
        }
    }
    None
}

/// Returns whether a block scalar begins here: `|`, `>-`, `|2+`.
fn is_block_header(text: &[u8]) -> bool {
    let text = text.get(1..).unwrap_or_default();
    let marks = text.iter().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')).count();
    let after = text.get(marks..).unwrap_or_default().trim_ascii_start();
    matches!(after.first(), None | Some(b'#'))
}

fn leading_spaces(cursor: &Cursor<'_>) -> usize {
    cursor.rest().iter().take_while(|&&byte| byte == b' ').count()
}

//! Literals in quotes.

use crate::Class;
use crate::cursor::Cursor;

use super::CodeScanner;
use super::grammar::{Keys, Quote, Reach};
use super::mode::{OpenConstruct, Previous};

/// Maximum length of the closing word of a literal, exclusive.
const MAX_END_LEN: usize = 17;

impl CodeScanner {
    /// Reads a literal that starts at `from`, perhaps with a prefix; the cursor is at its quote.
    pub(crate) fn quote(
        &mut self,
        cursor: &mut Cursor<'_>,
        from: usize,
        quote: &'static Quote,
    ) -> bool {
        let fence = fence_length(cursor, quote);
        let body = fence + quote.open.len();
        if quote.reach == Reach::Chosen {
            return self.chosen(cursor, from, body);
        }
        if quote.reach != Reach::Lines {
            let close = quote.close.bytes().next().unwrap_or(0);
            if self.unclosed.contains(&close) {
                return false;
            }
            match closing(cursor, quote, body, fence) {
                Some(length) if quote.hole.is_empty() => {
                    cursor.skip(length);
                    self.finish_line_literal(cursor, from);
                    return true;
                }
                Some(_) => {}
                None if quote.reach == Reach::Continued && cursor.rest().ends_with(b"\\") => {}
                None => {
                    self.unclosed.push(close);
                    return false;
                }
            }
        }
        cursor.skip(body);
        self.modes.push(OpenConstruct::Text { quote, fence });
        self.text(cursor, from);
        true
    }

    fn finish_line_literal(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let is_key = match self.code.grammar.keys {
            Keys::None | Keys::Leading => false,
            Keys::Quoted => cursor.rest().trim_ascii_start().starts_with(b":"),
            Keys::Assigned => matches!(
                cursor.rest().trim_ascii_start(),
                [b'='] | [b'=', b' ' | b'"' | b'\'' | b'{' | b'[' | b'0'..=b'9', ..]
            ),
        };
        cursor.paint(from, if is_key { Class::Attribute } else { Class::String });
        self.finish_operand();
    }

    /// Reads a literal to its end, to code inside it, or to the end of the line.
    pub(crate) fn text(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let Some(&OpenConstruct::Text { quote, fence }) = self.modes.last() else {
            return;
        };
        let close = quote.close.bytes().next().unwrap_or(0);
        let hole = quote.hole.bytes().next().unwrap_or(close);
        let is_carried = from == 0 && cursor.at() == 0;
        loop {
            cursor.skip_while(|byte| byte != close && byte != quote.escape && byte != hole);
            if cursor.is_done() {
                return cursor.paint(from, Class::String);
            }
            if ends(cursor.rest(), quote, fence) {
                if is_carried && looks_opening(cursor, quote) {
                    cursor.back_to(from);
                    return self.close();
                }
                cursor.skip(quote.close.len() + fence);
                cursor.paint(from, Class::String);
                return self.close();
            }
            if !quote.hole.is_empty() && cursor.sees(quote.hole) {
                cursor.paint(from, Class::String);
                return self.enter_hole(cursor, quote);
            }
            cursor.skip(if cursor.byte() == quote.escape { 2 } else { 1 });
        }
    }

    fn enter_hole(&mut self, cursor: &mut Cursor<'_>, quote: &Quote) {
        cursor.skip(quote.hole.len());
        let open = quote.hole.bytes().last().unwrap_or(b'{');
        let close = if open == b'(' { b')' } else { b'}' };
        self.modes.push(OpenConstruct::Hole { open, close, depth: 0 });
        self.previous = Previous::Operator;
        self.expects = None;
    }

    /// Reads a literal with an end chosen by the author, from its quote on.
    fn chosen(&mut self, cursor: &mut Cursor<'_>, from: usize, body: usize) -> bool {
        let ahead = cursor.rest().get(body..).unwrap_or_default();
        let Some(length) = ahead.iter().take(MAX_END_LEN).position(|&byte| byte == b'(') else {
            return false;
        };
        let word = ahead.get(..length).unwrap_or_default();
        let close = [b")".as_slice(), word, b"\"".as_slice()].concat().into_boxed_slice();
        cursor.skip(body + length + 1);
        self.modes.push(OpenConstruct::Until { close });
        self.until(cursor, from);
        true
    }

    /// Continues a literal with an end chosen by the author.
    pub(crate) fn until(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let Some(OpenConstruct::Until { close }) = self.modes.last() else {
            return;
        };
        let length = close.len();
        let is_closed = cursor.skip_to(close);
        if is_closed {
            cursor.skip(length);
        }
        cursor.paint(from, Class::String);
        if is_closed {
            self.close();
        }
    }
}

/// Returns the number of fence bytes before a quote.
pub(crate) fn fence_length(cursor: &Cursor<'_>, quote: &Quote) -> usize {
    if quote.fence == 0 {
        return 0;
    }
    cursor.rest().iter().take_while(|&&byte| byte == quote.fence).count()
}

/// Returns the length of a literal that ends on this line, from its quote on.
fn closing(cursor: &Cursor<'_>, quote: &Quote, body: usize, fence: usize) -> Option<usize> {
    let rest = cursor.rest();
    let close = quote.close.bytes().next()?;
    let mut at = body;
    loop {
        let ahead = rest.get(at..)?;
        at += ahead.iter().position(|&byte| byte == close || byte == quote.escape)?;
        let ahead = rest.get(at..)?;
        if ends(ahead, quote, fence) {
            return Some(at + quote.close.len() + fence);
        }
        at += if ahead.first() == Some(&quote.escape) { 2 } else { 1 };
    }
}

/// Returns whether a quote looks like the start of a literal.
///
/// If a literal of an earlier line ends with such a quote, an earlier character was wrongly read as
/// a quote, and all colours since then are inverted. In that case this line is read as code.
fn looks_opening(cursor: &Cursor<'_>, quote: &Quote) -> bool {
    quote.open.len() == 1
        && quote.open == quote.close
        && matches!(cursor.behind(1), b' ' | b'\t' | b'(' | b'[' | b'{' | b',' | b'=')
        && cursor.ahead(1).is_ascii_alphanumeric()
}

/// Returns whether a literal ends at this position.
fn ends(ahead: &[u8], quote: &Quote, fence: usize) -> bool {
    let Some(after) = ahead.strip_prefix(quote.close.as_bytes()) else {
        return false;
    };
    fence == 0 || after.iter().take(fence).filter(|&&byte| byte == quote.fence).count() == fence
}

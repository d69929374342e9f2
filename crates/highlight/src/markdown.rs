//! Markdown.

use super::Class;
use super::cursor::{Cursor, is_blank};
use super::scan::LineScanner;
use super::yaml::YamlScanner;

/// Reads a Markdown file.
pub(crate) struct MarkdownScanner {
    /// Returns the scanner for the language name of a fence.
    scanner_named: fn(&str) -> Option<Box<dyn LineScanner>>,
    block: Block,
    is_begun: bool,
}

/// The block that a line is in.
#[derive(Default)]
enum Block {
    #[default]
    Text,
    /// Code up to a fence of this byte and at least this length.
    Code {
        fence: u8,
        length: usize,
        scanner: Option<Box<dyn LineScanner>>,
    },
    /// Front matter, up to a line `---`.
    FrontMatter(Box<dyn LineScanner>),
    Comment,
}

impl LineScanner for MarkdownScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        match &mut self.block {
            Block::Code { fence, length, scanner } => {
                if closes(cursor.rest(), *fence, *length) {
                    self.block = Block::Text;
                    cursor.take_all(Class::Meta);
                } else if let Some(scanner) = scanner {
                    scanner.line(cursor);
                } else {
                    cursor.take_all(Class::String);
                }
            }
            Block::FrontMatter(scanner) => {
                if cursor.rest().trim_ascii_end() == b"---" {
                    self.block = Block::Text;
                    cursor.take_all(Class::Meta);
                } else {
                    scanner.line(cursor);
                }
            }
            Block::Comment => self.comment(cursor, cursor.at()),
            Block::Text if is_first && cursor.rest().trim_ascii_end() == b"---" => {
                self.block = Block::FrontMatter(Box::<YamlScanner>::default());
                cursor.take_all(Class::Meta);
            }
            Block::Text => self.text_line(cursor),
        }
        if !cursor.is_done() {
            self.inline(cursor);
        }
    }
}

impl MarkdownScanner {
    pub(crate) fn new(scanner_named: fn(&str) -> Option<Box<dyn LineScanner>>) -> Self {
        Self { scanner_named, block: Block::Text, is_begun: false }
    }

    fn text_line(&mut self, cursor: &mut Cursor<'_>) {
        while matches!(cursor.byte(), b' ' | b'\t' | b'>') {
            let is_quote = cursor.byte() == b'>';
            if is_quote {
                cursor.take(1, Class::Comment);
            } else {
                cursor.skip(1);
            }
        }
        let rest = cursor.rest();
        if let Some((fence, length)) = opening(rest) {
            let name = rest.get(length..).unwrap_or_default();
            let scanner = first_word(name).and_then(self.scanner_named);
            self.block = Block::Code { fence, length, scanner };
            return cursor.take_all(Class::Meta);
        }
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        if (1..=6).contains(&hashes) && matches!(rest.get(hashes), None | Some(b' ' | b'\t')) {
            return cursor.take_all(Class::Meta);
        }
        let is_item = match rest.first() {
            Some(b'-' | b'*' | b'+') => matches!(rest.get(1), Some(b' ' | b'\t')),
            _ => false,
        };
        if is_item {
            return cursor.take(1, Class::Keyword);
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if (1..10).contains(&digits) && matches!(rest.get(digits..), Some([b'.' | b')', b' ', ..]))
        {
            cursor.take(digits + 1, Class::Keyword);
        }
    }

    /// Reads the text of a line.
    fn inline(&mut self, cursor: &mut Cursor<'_>) {
        let mut has_links = true;
        while !cursor.is_done() {
            match cursor.byte() {
                b'\\' => cursor.skip(2),
                b'`' => code_span(cursor),
                b'[' if has_links => has_links = link(cursor),
                b'<' if cursor.sees("<!--") => self.comment(cursor, cursor.at()),
                _ => cursor.skip(1),
            }
        }
    }

    fn comment(&mut self, cursor: &mut Cursor<'_>, from: usize) {
        let is_closed = cursor.skip_to(b"-->");
        cursor.skip(3);
        cursor.paint(from, Class::Comment);
        self.block = if is_closed { Block::Text } else { Block::Comment };
    }
}

/// Returns the byte and the length of an opening fence. One of backticks has no backtick after it.
fn opening(text: &[u8]) -> Option<(u8, usize)> {
    let fence = *text.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = text.iter().take_while(|&&byte| byte == fence).count();
    let is_span = fence == b'`' && text.get(length..)?.contains(&b'`');
    (length >= 3 && !is_span).then_some((fence, length))
}

fn closes(line: &[u8], fence: u8, length: usize) -> bool {
    let line = line.trim_ascii();
    line.len() >= length && line.iter().all(|&byte| byte == fence)
}

/// Returns the language name in the info string of a fence.
fn first_word(info: &[u8]) -> Option<&str> {
    let info = std::str::from_utf8(info).ok()?.trim();
    info.split([' ', ',', '{', '\t']).next()
}

fn code_span(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    let length = rest.iter().take_while(|&&byte| byte == b'`').count();
    let mut at = length;
    while let Some(gap) =
        rest.get(at..).and_then(|ahead| ahead.iter().position(|&byte| byte == b'`'))
    {
        at += gap;
        let run =
            rest.get(at..).unwrap_or_default().iter().take_while(|&&byte| byte == b'`').count();
        at += run;
        if run == length {
            return cursor.take(at, Class::String);
        }
    }
    cursor.skip(length);
}

/// Reads a link; returns whether the line may contain more.
fn link(cursor: &mut Cursor<'_>) -> bool {
    let Some(middle) = cursor.distance_past(b"](") else {
        cursor.skip(1);
        return false;
    };
    let rest = cursor.rest().get(middle..).unwrap_or_default();
    let Some(length) = rest.iter().position(|&byte| byte == b')') else {
        cursor.skip(1);
        return false;
    };
    cursor.skip(1);
    cursor.take(middle - 3, Class::Attribute);
    cursor.skip(2);
    cursor.take(length, Class::String);
    cursor.skip_while(is_blank);
    true
}

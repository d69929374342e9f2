//! Scans languages that consist of words and literals.

use crate::Class;
use crate::cursor::Cursor;
use crate::scan::LineScanner;

use super::LazyGrammar;
use super::compiled::{ByteKind, Compiled};
use super::grammar::{CommentPlace, Reach};
use super::mode::{OpenConstruct, Previous};
use super::opener::Opener;

/// The state of a scanner between two lines.
pub(crate) struct CodeScanner {
    pub(crate) code: &'static Compiled,
    /// The open constructs, innermost last; empty in plain code.
    pub(crate) modes: Vec<OpenConstruct>,
    /// The heredocs that begin on the next line.
    pub(crate) pending: Vec<OpenConstruct>,
    pub(crate) previous: Previous,
    /// The class of the next word, if the previous keyword determines it.
    pub(crate) expects: Option<Class>,
    /// The first bytes of quotes that are not closed on this line, to avoid repeated searches.
    pub(crate) unclosed: Vec<u8>,
}

impl CodeScanner {
    pub(crate) fn new(code: &'static LazyGrammar) -> Self {
        Self {
            code: code.compiled(),
            modes: Vec::new(),
            pending: Vec::new(),
            previous: Previous::Start,
            expects: None,
            unclosed: Vec::new(),
        }
    }

    fn code(&mut self, cursor: &mut Cursor<'_>) {
        let depth = self.modes.len();
        while !cursor.is_done() && self.modes.len() == depth {
            let byte = cursor.byte();
            match self.code.kind(byte) {
                ByteKind::Blank => cursor.skip_blank(),
                ByteKind::Word => self.word(cursor),
                ByteKind::Digit => self.number(cursor),
                ByteKind::Bracket => self.bracket(cursor, byte),
                ByteKind::Opener => self.opener(cursor, byte),
                ByteKind::Operator => self.operator(cursor),
            }
        }
    }

    fn opener(&mut self, cursor: &mut Cursor<'_>, byte: u8) {
        for &(text, opener) in self.code.openers(byte) {
            if cursor.sees(text) && self.open(cursor, opener) {
                return;
            }
        }
        match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' => self.bracket(cursor, byte),
            _ if self.code.is_inside(byte) => self.word(cursor),
            _ => self.operator(cursor),
        }
    }

    /// Reads the construct; returns false if there is none at the cursor.
    fn open(&mut self, cursor: &mut Cursor<'_>, opener: Opener) -> bool {
        match opener {
            Opener::Line(line) => self.line_comment(cursor, line),
            Opener::Block(block) => self.block_comment(cursor, block),
            Opener::Quote(quote) => self.quote(cursor, cursor.at(), quote),
            Opener::Inlay(inlay) => self.inlay(cursor, inlay),
            Opener::Mark(mark) => self.mark(cursor, mark),
        }
    }

    /// Returns whether a comment with this restriction may begin at the cursor.
    pub(crate) fn fits(&self, place: CommentPlace, cursor: &Cursor<'_>) -> bool {
        match place {
            CommentPlace::Anywhere => true,
            CommentPlace::Apart => {
                matches!(cursor.behind(1), 0 | b' ' | b'\t' | b';' | b'&' | b'|' | b'(' | b')')
            }
            CommentPlace::First => self.previous == Previous::Start && self.modes.is_empty(),
            CommentPlace::Margin => cursor.at() == 0,
        }
    }

    pub(crate) fn operator(&mut self, cursor: &mut Cursor<'_>) {
        cursor.skip(1);
        self.previous = Previous::Operator;
        self.expects = None;
    }

    fn bracket(&mut self, cursor: &mut Cursor<'_>, byte: u8) {
        cursor.skip(1);
        self.expects = None;
        let is_open = matches!(byte, b'(' | b'[' | b'{');
        self.previous = if is_open { Previous::Operator } else { Previous::Operand };
        if let Some(OpenConstruct::Hole { open, close, depth }) = self.modes.last_mut() {
            if byte == *open {
                *depth = depth.saturating_add(1);
            } else if byte == *close {
                match depth.checked_sub(1) {
                    Some(less) => *depth = less,
                    None => self.close(),
                }
            }
        }
    }

    /// Leaves the innermost open construct.
    pub(crate) fn close(&mut self) {
        self.modes.pop();
        self.finish_operand();
    }

    /// Continues after a value.
    pub(crate) const fn finish_operand(&mut self) -> bool {
        self.previous = Previous::Operand;
        self.expects = None;
        true
    }

    /// Closes the literals that end with the line, and everything open in them.
    fn end_line(&mut self, cursor: &Cursor<'_>) {
        let slashes = cursor.before().iter().rev().take_while(|&&byte| byte == b'\\').count();
        let is_continued = slashes % 2 == 1;
        let ends = |mode: &OpenConstruct| match mode {
            OpenConstruct::Text { quote, .. } => match quote.reach {
                Reach::Line => true,
                Reach::Continued => !is_continued,
                Reach::Lines | Reach::Chosen => false,
            },
            _ => false,
        };
        if let Some(first) = self.modes.iter().position(ends) {
            self.modes.truncate(first);
        }
        self.modes.extend(self.pending.drain(..).rev());
    }
}

impl LineScanner for CodeScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        self.previous = Previous::Start;
        self.expects = None;
        self.unclosed.clear();
        while !cursor.is_done() {
            match self.modes.last() {
                None | Some(OpenConstruct::Hole { .. }) => self.code(cursor),
                Some(OpenConstruct::Comment { .. }) => self.comment(cursor, cursor.at()),
                Some(OpenConstruct::Text { .. }) => self.text(cursor, cursor.at()),
                Some(OpenConstruct::Until { .. }) => self.until(cursor, cursor.at()),
                Some(OpenConstruct::Heredoc { .. }) => self.heredoc(cursor),
                Some(OpenConstruct::Element { .. }) => self.markup(cursor),
                Some(OpenConstruct::Delimited { .. }) => self.delimited(cursor, cursor.at()),
            }
        }
        self.end_line(cursor);
    }
}

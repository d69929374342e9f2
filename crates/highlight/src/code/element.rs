//! Markup elements as values in code (JSX).

use crate::Class;
use crate::cursor::{Cursor, is_blank, is_word};

use super::CodeScanner;
use super::mode::{ElementPart, OpenConstruct, Previous};

impl CodeScanner {
    /// Enters an element, unless `<` is a comparison or starts a list of type parameters.
    pub(crate) fn element(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let next = cursor.ahead(1);
        let may_begin = next.is_ascii_alphabetic() || next == b'>' || next == b'_';
        if self.previous == Previous::Operand || !may_begin || is_generic(cursor.rest()) {
            return false;
        }
        self.modes.push(OpenConstruct::Element { depth: 0, part: ElementPart::Tag });
        open_tag(cursor);
        true
    }

    /// Reads an element to its end, to code inside it, or to the end of the line.
    pub(crate) fn markup(&mut self, cursor: &mut Cursor<'_>) {
        let depth = self.modes.len();
        while !cursor.is_done() && self.modes.len() == depth {
            match self.modes.last() {
                Some(OpenConstruct::Element { part: ElementPart::Text, .. }) => {
                    self.children(cursor);
                }
                Some(OpenConstruct::Element { part: ElementPart::Tag, .. }) => self.tag(cursor),
                _ => return,
            }
        }
    }

    fn children(&mut self, cursor: &mut Cursor<'_>) {
        cursor.skip_while(|byte| byte != b'<' && byte != b'{');
        let from = cursor.at();
        match (cursor.byte(), cursor.ahead(1)) {
            (b'{', _) => self.enter_braces(cursor),
            (b'<', b'/') => {
                cursor.skip_to(b">");
                cursor.skip(1);
                cursor.paint(from, Class::Meta);
                self.step(-1);
            }
            (b'<', next) if is_word(next) || next == b'>' => {
                open_tag(cursor);
                self.set_part(ElementPart::Tag);
            }
            _ => cursor.skip(1),
        }
    }

    fn tag(&mut self, cursor: &mut Cursor<'_>) {
        let from = cursor.at();
        match (cursor.byte(), cursor.ahead(1)) {
            (b'{', _) => self.enter_braces(cursor),
            (b'/', b'>') => {
                cursor.take(2, Class::Meta);
                self.step(0);
            }
            (b'>', _) => {
                cursor.take(1, Class::Meta);
                self.step(1);
            }
            (quote @ (b'"' | b'\''), _) => {
                cursor.skip(1);
                cursor.skip_while(|byte| byte != quote);
                cursor.skip(1);
                cursor.paint(from, Class::String);
            }
            (byte, _) if is_word(byte) => {
                cursor.skip_while(|byte| is_word(byte) || matches!(byte, b'-' | b':'));
                cursor.paint(from, Class::Attribute);
            }
            (byte, _) if is_blank(byte) => cursor.skip_blank(),
            _ => cursor.skip(1),
        }
    }

    fn enter_braces(&mut self, cursor: &mut Cursor<'_>) {
        cursor.skip(1);
        self.modes.push(OpenConstruct::Hole { open: b'{', close: b'}', depth: 0 });
        self.previous = Previous::Operator;
        self.expects = None;
    }

    /// Continues after an opening, closing or self-closing tag.
    fn step(&mut self, change: i32) {
        let Some(OpenConstruct::Element { depth, part }) = self.modes.last_mut() else {
            return;
        };
        *depth = depth.saturating_add_signed(change);
        *part = ElementPart::Text;
        if *depth == 0 {
            self.close();
        }
    }

    fn set_part(&mut self, to: ElementPart) {
        if let Some(OpenConstruct::Element { part, .. }) = self.modes.last_mut() {
            *part = to;
        }
    }
}

fn open_tag(cursor: &mut Cursor<'_>) {
    let from = cursor.at();
    cursor.skip(1);
    cursor.skip_while(|byte| is_word(byte) || matches!(byte, b'.' | b'-' | b':'));
    cursor.paint(from, Class::Meta);
    // Skips the type arguments of a component.
    if cursor.byte() == b'<' {
        cursor.skip(cursor.distance_past(b">").unwrap_or(1));
    }
}

/// Returns whether this is a list of type parameters such as `<T,>` or `<T extends U>`, and not a
/// tag.
fn is_generic(text: &[u8]) -> bool {
    let name = text.iter().skip(1).take_while(|&&byte| is_word(byte)).count();
    let after = text.get(1 + name..).unwrap_or_default().trim_ascii_start();
    after.starts_with(b",") || after.starts_with(b"extends ")
}

//! The text of a file that is open in the editor.

use serde::Deserialize;

use crate::position::Encoding;
use crate::protocol::{Position, Range};

/// A text with the starts of its lines.
///
/// Lines end with LF or CRLF. The protocol also names a single CR, which editors and our thread files do not count as a line end.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    text: String,
    starts: Vec<usize>,
}

/// A change of a text: the new text of a range, or of everything.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}

impl Buffer {
    pub(crate) fn new(text: String) -> Self {
        let starts = starts(&text);
        Self { text, starts }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines; after a line end at the end of the text there is an empty one.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns a line without its end; none after the last one.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some(text.strip_suffix('\r').unwrap_or(text))
    }

    /// Returns the line end of the text.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Applies a change. A position outside of the text is moved to its nearest place.
    pub(crate) fn apply(&mut self, change: &Change, encoding: Encoding) {
        let Some(range) = change.range else {
            *self = Self::new(change.text.clone());
            return;
        };
        let start = self.byte(range.start, encoding);
        let end = self.byte(range.end, encoding).max(start);
        self.text.replace_range(start..end, &change.text);
        self.starts = starts(&self.text);
    }

    fn byte(&self, position: Position, encoding: Encoding) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let line = self.line(position.line).unwrap_or_default();
        start + encoding.byte(line, position.character)
    }
}

fn starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(end, _)| end + 1);
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn change(range: Option<((u32, u32), (u32, u32))>, text: &str) -> Change {
        let at = |(line, character)| Position { line, character };
        let range = range.map(|(start, end)| Range { start: at(start), end: at(end) });
        Change { range, text: text.to_owned() }
    }

    #[test]
    fn changes_are_applied_in_units_of_the_encoding() {
        let mut buffer = Buffer::new("a😀b\r\ntwo\n".to_owned());
        assert_eq!(
            (buffer.line(0), buffer.line(2), buffer.line(3)),
            (Some("a😀b"), Some(""), None)
        );
        buffer.apply(&change(Some(((0, 3), (0, 4))), "B"), Encoding::Utf16);
        assert_eq!(buffer.text(), "a😀B\r\ntwo\n");
        buffer.apply(&change(Some(((0, 5), (1, 0))), "\n\n"), Encoding::Utf8);
        assert_eq!(buffer.text(), "a😀\n\ntwo\n");
        assert_eq!((buffer.line_count(), buffer.line_end()), (4, "\n"));
        buffer.apply(&change(None, "x"), Encoding::Utf8);
        assert_eq!((buffer.text(), buffer.line_count()), ("x", 1));
    }

    /// A text as characters with their lines and columns, which is slow and simple.
    fn model_byte(text: &str, position: Position, encoding: Encoding) -> usize {
        let lines: Vec<&str> = text.split('\n').collect();
        let Some(line) = lines.get(position.line as usize) else { return text.len() };
        let before: usize =
            lines.iter().take(position.line as usize).map(|line| line.len() + 1).sum();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut column = 0;
        for (byte, c) in line.char_indices() {
            let width = if encoding == Encoding::Utf8 { c.len_utf8() } else { c.len_utf16() };
            if column + width > position.character as usize {
                return before + byte;
            }
            column += width;
        }
        before + line.len()
    }

    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just("a"),
            Just("ß"),
            Just("字"),
            Just("😀"),
            Just("\t"),
            Just("word "),
        ];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    /// The start and the end of an edit, and the new text.
    type Edit = (((u32, u32), (u32, u32)), String);

    fn edit() -> impl Strategy<Value = Edit> {
        let at = || (0_u32..8, 0_u32..12);
        (at(), at(), text()).prop_map(|(one, other, text)| ((one.min(other), one.max(other)), text))
    }

    proptest! {
        #[test]
        fn edits_are_those_of_a_simple_model(
            start in text(),
            edits in proptest::collection::vec(edit(), 1..10),
            is_utf8 in any::<bool>(),
        ) {
            let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let (mut buffer, mut model) = (Buffer::new(start.clone()), start);
            for (range, text) in edits {
                let change = change(Some(range), &text);
                let Some(Range { start, end }) = change.range else { continue };
                let first = model_byte(&model, start, encoding);
                let last = model_byte(&model, end, encoding).max(first);
                model.replace_range(first..last, &text);
                buffer.apply(&change, encoding);
                prop_assert_eq!(buffer.text(), &model);
                let lines: Vec<_> = (0..buffer.line_count()).filter_map(|line| buffer.line(line)).collect();
                let expected: Vec<_> =
                    model.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
                // A carriage return at the very end is not part of a line end.
                if !model.ends_with('\r') {
                    prop_assert_eq!(lines, expected);
                }
            }
        }
    }

    #[test]
    fn positions_outside_are_moved_to_the_text() {
        let mut buffer = Buffer::new("one\ntwo".to_owned());
        buffer.apply(&change(Some(((9, 9), (10, 0))), "!"), Encoding::Utf16);
        assert_eq!(buffer.text(), "one\ntwo!");
        buffer.apply(&change(Some(((0, 99), (0, 1))), "-"), Encoding::Utf16);
        assert_eq!(buffer.text(), "one-\ntwo!");
    }
}

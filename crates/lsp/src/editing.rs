//! Edits of the editor's texts.

use serde_json::{Value, json};
use skein_review::SuggestedEdit;

use crate::buffer::Buffer;
use crate::client::Client;
use crate::position::Encoding;
use crate::protocol::{Position, Range, TextEdit};

const BOM: &str = "\u{feff}";

/// Returns the edit that makes a suggested change.
pub(crate) fn suggested(buffer: &Buffer, edit: &SuggestedEdit, encoding: Encoding) -> TextEdit {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let lines = (line(edit.lines.0), line(edit.lines.1));
    if edit.new.is_empty() {
        return removal(buffer, lines, encoding);
    }
    let end = encoding.len(buffer.line(lines.1).unwrap_or_default());
    // A byte order mark stays.
    let has_mark = lines.0 == 0 && buffer.text().starts_with(BOM);
    let start = if has_mark { encoding.len(BOM) } else { 0 };
    TextEdit {
        range: Range {
            start: Position { line: lines.0, character: start },
            end: Position { line: lines.1, character: end },
        },
        new_text: edit.new.join(buffer.line_end()),
    }
}

/// Returns the edit that removes lines with their line ends.
pub(crate) fn removal(buffer: &Buffer, (first, last): (u32, u32), encoding: Encoding) -> TextEdit {
    let end = |line| encoding.len(buffer.line(line).unwrap_or_default());
    let range = match (first.checked_sub(1), last + 1 < buffer.line_count()) {
        // The last line has no line end, so that of the line before is removed.
        (Some(before), false) => Range {
            start: Position { line: before, character: end(before) },
            end: Position { line: last, character: end(last) },
        },
        (None, false) => {
            Range { start: Position::default(), end: Position { line: last, character: end(last) } }
        }
        (_, true) => Range {
            start: Position { line: first, character: 0 },
            end: Position { line: last + 1, character: 0 },
        },
    };
    TextEdit { range, new_text: String::new() }
}

/// Returns the parameters of a request to edit a file, which the editor refuses if it has another version.
pub(crate) fn request(
    client: Client,
    label: &str,
    (uri, version): (&str, Option<i64>),
    edit: &TextEdit,
) -> Value {
    let edit = if client.has_document_changes {
        let document = json!({ "uri": uri, "version": version });
        json!({ "documentChanges": [{ "textDocument": document, "edits": [edit] }] })
    } else {
        json!({ "changes": { uri: [edit] } })
    };
    json!({ "label": label, "edit": edit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(text: &str, lines: (u32, u32)) -> String {
        let buffer = Buffer::new(text.to_owned());
        let mut after = buffer.clone();
        let TextEdit { range, new_text } = removal(&buffer, lines, Encoding::Utf16);
        let change = json!({ "range": range, "text": new_text });
        after.apply(&serde_json::from_value(change).unwrap(), Encoding::Utf16);
        after.text().to_owned()
    }

    #[test]
    fn lines_are_removed_with_one_line_end() {
        assert_eq!(removed("a\nb\nc\n", (1, 1)), "a\nc\n");
        assert_eq!(removed("a\nb\nc\n", (0, 2)), "");
        assert_eq!(removed("a\nb\nc", (1, 2)), "a");
        assert_eq!(removed("a\r\nb\r\n", (1, 1)), "a\r\n");
        assert_eq!(removed("a", (0, 0)), "");
    }
}

//! Wraps texts for people at the width of the terminal.

use unicode_width::UnicodeWidthStr as _;

/// Splits a line at its spaces, so that no part is wider than `room` columns, unless a word is. Further parts are indented as the line is.
///
/// Escape sequences for colours have no width.
pub(crate) fn wrap(line: &str, room: usize) -> Vec<String> {
    if visible_columns(line) <= room {
        return vec![line.to_owned()];
    }
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let indent = if spaces < room / 2 { " ".repeat(spaces) } else { String::new() };
    let mut lines = Vec::new();
    let (mut current, mut has_word) = (String::new(), false);
    for piece in line.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        let is_full = visible_columns(&current) + visible_columns(word) > room;
        if is_full && has_word {
            lines.push(current.trim_end().to_owned());
            (current, has_word) = (indent.clone(), false);
        }
        current.push_str(piece);
        has_word |= !word.is_empty();
    }
    lines.push(current);
    lines
}

/// Returns the width of a line without its escape sequences for colours.
fn visible_columns(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, |text| text.width());
    // A sequence for a colour ends with `m`.
    let rest = parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.width()));
    first + rest.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_wrapped_between_words_at_its_indentation() {
        let check = |line: &str, room: usize, expected: &[&str]| {
            assert_eq!(wrap(line, room), expected);
        };
        check("one two three", 13, &["one two three"]);
        check("one two three", 8, &["one two", "three"]);
        check("  one two three", 9, &["  one two", "  three"]);
        check("a-very-long-word and more", 10, &["a-very-long-word", "and more"]);
        check("\u{1b}[1mone\u{1b}[0m two three", 8, &["\u{1b}[1mone\u{1b}[0m two", "three"]);
        check("          deep text here", 12, &["          deep", "text here"]);
        check("", 0, &[""]);
    }
}

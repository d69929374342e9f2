use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::terminal::one_line;

/// Maximum columns of a title in a list, wherever it is printed to.
const MAX_TITLE: usize = 200;

/// Returns a text as it is shown in a list: on one line, and cut where it is long.
pub(crate) fn title(text: &str) -> String {
    cut(&one_line(text), Some(MAX_TITLE))
}

/// Cuts a line to `room` columns and says so with an ellipsis.
pub(crate) fn cut(line: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|room| line.width() > *room) else {
        return line.to_owned();
    };
    let mut out = String::new();
    let mut used = 1;
    for c in line.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        out.push(c);
    }
    out.push('\u{2026}');
    out
}

/// Fills a cell with spaces up to `width` columns.
pub(crate) fn pad(cell: &str, width: usize) -> String {
    let missing = width.saturating_sub(cell.width());
    format!("{cell}{}", " ".repeat(missing))
}

/// Returns a number with what it counts: `1 thread`, `2 threads`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Returns the columns that a cell takes.
pub(crate) fn columns(cell: &str) -> usize {
    cell.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns_not_characters() {
        assert_eq!(cut("abcdef", Some(4)), "abc\u{2026}");
        assert_eq!(cut("abcd", Some(4)), "abcd");
        assert_eq!(cut("\u{4e2d}\u{6587}\u{4e2d}", Some(4)), "\u{4e2d}\u{2026}");
        assert_eq!(cut("abcdef", None), "abcdef");
        assert_eq!(pad("\u{4e2d}", 4), "\u{4e2d}  ");
    }
}

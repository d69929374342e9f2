use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use skein_model::sanitize::{one_line, shell_word};
use skein_model::view::SubmoduleSummary;

/// Maximum columns of a title in a list.
const MAX_TITLE: usize = 200;

/// Returns a text for a list: on one line, and truncated if it is long.
pub(crate) fn title(text: &str) -> String {
    cut(&one_line(text), Some(MAX_TITLE))
}

/// Truncates a line to `room` columns, with an ellipsis at the end.
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

/// Pads a cell with spaces to `width` columns.
pub(crate) fn pad(cell: &str, width: usize) -> String {
    let missing = width.saturating_sub(cell.width());
    format!("{cell}{}", " ".repeat(missing))
}

/// Returns a number with its noun: `1 thread`, `2 threads`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Returns the id in a short form: a random id is reduced to its first part.
pub(crate) fn short_id(id: &str) -> String {
    let first = id.split('-').next().unwrap_or(id);
    let random = id.len() == 36 && first.len() == 8 && first.bytes().all(|b| b.is_ascii_hexdigit());
    one_line(if random { first } else { id })
}

/// Returns the width of a cell in columns.
pub(crate) fn columns(cell: &str) -> usize {
    cell.width()
}

/// Returns what a submodule has, as the start of a sentence that ends with the command that shows it.
pub(crate) fn submodule(submodule: &SubmoduleSummary, command: &str) -> String {
    let changes = submodule.is_changed.then(|| "uncommitted changes".to_owned());
    let threads = match submodule.open_threads {
        0 => None,
        open => Some(count(open, "open review thread")),
    };
    let parts: Vec<String> = changes.into_iter().chain(threads).collect();
    let dir = one_line(&shell_word(&submodule.dir));
    format!(
        "The submodule {} has {}: `skein -C {dir} {command}`",
        one_line(&submodule.path),
        parts.join(" and ")
    )
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

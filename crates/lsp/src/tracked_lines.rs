//! Lines that follow the edits of a text, so that a mark stays while the user types in it.

use crate::buffer::Buffer;
use crate::position::Encoding;
use crate::protocol::Range;

/// The first and the last line, counted from 0.
pub(crate) type Lines = (u32, u32);

/// Returns lines after an edit of the text `before` it; none if they were removed.
pub(crate) fn follow(
    (first, last): Lines,
    before: &Buffer,
    (range, text): (Range, &str),
    encoding: Encoding,
) -> Option<Lines> {
    let Range { start, end } = range;
    let added = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    let shifted = start.line.saturating_add(added);
    let moved = |line: u32| shifted.saturating_add(line - end.line.min(line));
    let is_above =
        end.line < first || end.line == first && end.character == 0 && start.line < first;
    if is_above {
        return Some((moved(first), moved(last)));
    }
    if start.line > last {
        return Some((first, last));
    }
    let length = before.line(last).map_or(0, |line| encoding.len(line));
    let covers_end = end.line > last || end.line == last && end.character >= length;
    if start.line <= first && start.character == 0 && covers_end && text.trim().is_empty() {
        return None;
    }
    let last = if end.line >= last { shifted } else { moved(last) };
    Some((first.min(start.line), last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Position;

    fn followed(start: (u32, u32), end: (u32, u32), text: &str) -> Option<Lines> {
        let before = Buffer::new("zero\none\ntwo\nthree\nfour\n".to_owned());
        let at = |(line, character)| Position { line, character };
        let range = Range { start: at(start), end: at(end) };
        follow((2, 3), &before, (range, text), Encoding::Utf16)
    }

    #[test]
    fn lines_follow_edits() {
        // Above, and right before the first line.
        assert_eq!(followed((0, 0), (0, 0), "a\nb\n"), Some((4, 5)));
        assert_eq!(followed((0, 0), (2, 0), ""), Some((0, 1)));
        // Below.
        assert_eq!(followed((4, 0), (4, 1), "\n"), Some((2, 3)));
        // Within a line, and a line that is split.
        assert_eq!(followed((2, 1), (2, 2), "x"), Some((2, 3)));
        assert_eq!(followed((2, 1), (2, 1), "\n"), Some((2, 4)));
        assert_eq!(followed((2, 0), (3, 0), ""), Some((2, 2)));
        // Replaced, and removed.
        assert_eq!(followed((2, 0), (3, 5), "x"), Some((2, 2)));
        assert_eq!(followed((2, 0), (4, 0), ""), None);
        assert_eq!(followed((1, 0), (3, 5), " \n"), None);
        assert_eq!(followed((1, 2), (2, 2), ""), Some((1, 2)));
    }
}

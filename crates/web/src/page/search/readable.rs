//! Snippets without Markdown syntax.

use std::ops::Range;

use skein_search::{FieldKind, SearchHit};

/// Returns the snippet of a hit without Markdown syntax, and the ranges of the matches.
pub(super) fn readable(hit: &SearchHit) -> (String, Vec<Range<usize>>) {
    match hit.part {
        FieldKind::Title | FieldKind::Comment(_) | FieldKind::Summary | FieldKind::Step(_) => {
            remove_syntax(&hit.snippet, &hit.marks)
        }
        _ => (hit.snippet.clone(), hit.marks.clone()),
    }
}

/// Removes Markdown syntax from a text, and moves the ranges accordingly.
fn remove_syntax(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let characters: Vec<char> = text.chars().collect();
    let mut kept = String::new();
    // The new position of each byte.
    let mut positions = Vec::with_capacity(text.len() + 1);
    for (index, character) in characters.iter().enumerate() {
        positions.extend(std::iter::repeat_n(kept.len(), character.len_utf8()));
        if !is_mark(&characters, index) {
            kept.push(*character);
        }
    }
    positions.push(kept.len());
    let moved = |mark: &Range<usize>| Some(*positions.get(mark.start)?..*positions.get(mark.end)?);
    (kept, marks.iter().filter_map(moved).collect())
}

/// Returns whether a character is Markdown syntax for code or emphasis.
fn is_mark(text: &[char], index: usize) -> bool {
    let at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied();
    let (before, after) = (at(index.checked_sub(1)), at(index.checked_add(1)));
    match at(Some(index)) {
        Some('`') => true,
        // A single star may be a multiplication sign.
        Some('*') => before == Some('*') || after == Some('*'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, mark: &str, expected: &str) {
        let start = text.find(mark).unwrap();
        let marked = start..start + mark.len();
        let (kept, marks) = remove_syntax(text, std::slice::from_ref(&marked));
        let shown: Vec<&str> = marks.iter().filter_map(|mark| kept.get(mark.clone())).collect();
        assert_eq!((kept.as_str(), shown), (expected, vec![mark]));
    }

    #[test]
    fn markdown_syntax_is_removed() {
        check("ä `unwrap` on **an** empty", "unwrap", "ä unwrap on an empty");
        check("a * b `c`", "c", "a * b c");
    }
}

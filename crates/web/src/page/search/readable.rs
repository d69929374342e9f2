//! The text around a match, without the marks of Markdown.

use std::ops::Range;

use skein_search::Hit;

/// Returns the text of a hit without the marks of Markdown, and what of it matches.
pub(super) fn readable(hit: &Hit) -> (String, Vec<Range<usize>>) {
    match hit.part {
        "title" | "comment" | "summary" | "step" => without_marks(&hit.snippet, &hit.marks),
        _ => (hit.snippet.clone(), hit.marks.clone()),
    }
}

/// Leaves the marks of Markdown out of a text, and moves what matches in it accordingly.
fn without_marks(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let characters: Vec<char> = text.chars().collect();
    let mut kept = String::new();
    // The place of each byte of the text in what is kept.
    let mut places = Vec::with_capacity(text.len() + 1);
    for (index, character) in characters.iter().enumerate() {
        places.extend(std::iter::repeat_n(kept.len(), character.len_utf8()));
        if !is_mark(&characters, index) {
            kept.push(*character);
        }
    }
    places.push(kept.len());
    let moved = |mark: &Range<usize>| Some(*places.get(mark.start)?..*places.get(mark.end)?);
    (kept, marks.iter().filter_map(moved).collect())
}

/// Returns whether a character marks code or emphasis in Markdown.
fn is_mark(text: &[char], index: usize) -> bool {
    let at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied();
    let (before, after) = (at(index.checked_sub(1)), at(index.checked_add(1)));
    match at(Some(index)) {
        Some('`') => true,
        // One star alone may be a sign of its own.
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
        let (kept, marks) = without_marks(text, std::slice::from_ref(&marked));
        let shown: Vec<&str> = marks.iter().filter_map(|mark| kept.get(mark.clone())).collect();
        assert_eq!((kept.as_str(), shown), (expected, vec![mark]));
    }

    #[test]
    fn marks_of_markdown_are_left_out() {
        check("ä `unwrap` on **an** empty", "unwrap", "ä unwrap on an empty");
        check("a * b `c`", "c", "a * b c");
    }
}

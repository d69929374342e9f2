//! The text around a match, without the signs of its format.

use std::ops::Range;

use skein_engine::search::Hit;

/// What becomes of a character.
enum Shown {
    AsIs,
    WithSpace,
    Not,
}

type Rule = fn(&[char], usize) -> Shown;

/// Returns the text of a hit without the marks of Markdown or the signs of JSON, and what of it matches.
pub(super) fn readable(hit: &Hit) -> (String, Vec<Range<usize>>) {
    let rule: Rule = match hit.part {
        "title" | "comment" | "summary" | "step" => markdown,
        "other" if hit.snippet.contains("\":") => json,
        _ => return (hit.snippet.clone(), hit.marks.clone()),
    };
    rewritten(&hit.snippet, &hit.marks, rule)
}

/// Leaves characters out of a text, and moves what is marked in it accordingly.
fn rewritten(text: &str, marks: &[Range<usize>], rule: Rule) -> (String, Vec<Range<usize>>) {
    let characters: Vec<char> = text.chars().collect();
    let mut kept = String::new();
    // The place of each byte of the text in what is kept.
    let mut places = Vec::with_capacity(text.len() + 1);
    for (index, character) in characters.iter().enumerate() {
        places.extend(std::iter::repeat_n(kept.len(), character.len_utf8()));
        match rule(&characters, index) {
            Shown::AsIs => kept.push(*character),
            Shown::WithSpace => kept.extend([*character, ' ']),
            Shown::Not => {}
        }
    }
    places.push(kept.len());
    let moved = |mark: &Range<usize>| Some(*places.get(mark.start)?..*places.get(mark.end)?);
    (kept, marks.iter().filter_map(moved).collect())
}

/// Leaves out what marks code or emphasis in Markdown.
fn markdown(text: &[char], index: usize) -> Shown {
    let at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied();
    let (before, after) = (at(index.checked_sub(1)), at(index.checked_add(1)));
    match at(Some(index)) {
        Some('`') => Shown::Not,
        // One star alone may be a sign of its own.
        Some('*') if before == Some('*') || after == Some('*') => Shown::Not,
        _ => Shown::AsIs,
    }
}

/// Leaves out what only holds JSON together.
fn json(text: &[char], index: usize) -> Shown {
    let next = index.checked_add(1).and_then(|next| text.get(next));
    match text.get(index) {
        Some('"' | '{' | '}' | '[' | ']' | '\\') => Shown::Not,
        Some(':' | ',') if matches!(next, Some('"' | '{' | '[')) => Shown::WithSpace,
        _ => Shown::AsIs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, mark: &str, rule: Rule, expected: &str) {
        let start = text.find(mark).unwrap();
        let marked = start..start + mark.len();
        let (kept, marks) = rewritten(text, std::slice::from_ref(&marked), rule);
        let shown: Vec<&str> = marks.iter().filter_map(|mark| kept.get(mark.clone())).collect();
        assert_eq!((kept.as_str(), shown), (expected, vec![mark]));
    }

    #[test]
    fn marks_of_markdown_are_left_out() {
        check("ä `unwrap` on **an** empty", "unwrap", markdown, "ä unwrap on an empty");
        check("a * b `c`", "c", markdown, "a * b c");
    }

    #[test]
    fn signs_of_json_are_left_out() {
        let text = r#"{"last_thread":"T-1","notes":["x"]}"#;
        check(text, "T-1", json, "last_thread: T-1, notes: x");
    }
}

//! The words that make the difference of two lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// A line that is longer is not looked into.
const MAX_LINE_LEN: usize = 10_000;

/// Returns the bytes of both lines that the other line does not have, word by word.
///
/// Nothing is marked in two lines that have less than a third in common: they are different lines, and marks on what
/// they share by chance would only distract. A change of several words in a row is one range.
pub fn words(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > MAX_LINE_LEN {
        return (Vec::new(), Vec::new());
    }
    let (before, after) = (tokens(old), tokens(new));
    let mut input = InternedInput::default();
    input.update_before(before.iter().map(|range| part(old, range)));
    input.update_after(after.iter().map(|range| part(new, range)));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let mut hunks: Vec<_> = diff.hunks().collect();
    let kept = kept(old, &before, hunks.iter().map(|hunk| hunk.before.clone()));
    if kept * 3 < weight(old).max(weight(new)) {
        return (Vec::new(), Vec::new());
    }
    let ranges = |text: &str, tokens: &[Range<usize>], changed: Vec<Range<u32>>| {
        let bytes = changed.into_iter().filter_map(|range| bytes_of(tokens, &range));
        joined(text, bytes)
    };
    let (old_side, new_side) =
        hunks.drain(..).map(|hunk| (hunk.before, hunk.after)).unzip::<_, _, Vec<_>, Vec<_>>();
    (ranges(old, &before, old_side), ranges(new, &after, new_side))
}

/// Cuts a line into words, blanks and single signs.
fn tokens(line: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (start, character) in line.char_indices() {
        let sort = Sort::from_char(character);
        let end = start + character.len_utf8();
        match tokens.last_mut().filter(|_| sort != Sort::Sign && last == Some(sort)) {
            Some(token) => token.end = end,
            None => tokens.push(start..end),
        }
        last = Some(sort);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Word,
    Blank,
    Sign,
}

impl Sort {
    fn from_char(character: char) -> Self {
        match character {
            _ if character.is_alphanumeric() || character == '_' => Self::Word,
            _ if character.is_whitespace() => Self::Blank,
            _ => Self::Sign,
        }
    }
}

fn part<'a>(line: &'a str, range: &Range<usize>) -> &'a str {
    line.get(range.clone()).unwrap_or_default()
}

/// Returns how much a text says: blanks count for nothing.
fn weight(text: &str) -> usize {
    text.chars().filter(|character| !character.is_whitespace()).count()
}

/// Returns the weight of the tokens that are in none of the ranges.
fn kept(line: &str, tokens: &[Range<usize>], changed: impl Iterator<Item = Range<u32>>) -> usize {
    let removed: usize = changed
        .filter_map(|range| bytes_of(tokens, &range))
        .map(|range| weight(part(line, &range)))
        .sum();
    weight(line) - removed
}

/// Returns the bytes of some tokens in a row; none for no tokens.
fn bytes_of(tokens: &[Range<usize>], range: &Range<u32>) -> Option<Range<usize>> {
    let range = tokens.get(range.start as usize..range.end as usize)?;
    Some(range.first()?.start..range.last()?.end)
}

/// Unites ranges that have only blanks between them.
fn joined(line: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if weight(part(line, &(last.end..range.start))) == 0 => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows both lines with brackets around what is marked.
    fn check(old: &str, new: &str, expected: &str) {
        let (before, after) = words(old, new);
        let shown = |line: &str, ranges: &[Range<usize>]| {
            let mut text = line.to_owned();
            for range in ranges.iter().rev() {
                text.insert(range.end, ']');
                text.insert(range.start, '[');
            }
            text
        };
        assert_eq!(format!("{} | {}", shown(old, &before), shown(new, &after)), expected);
    }

    #[test]
    fn whole_words_are_marked() {
        check("let first = 1;", "let second = 1;", "let [first] = 1; | let [second] = 1;");
        check("a(b)", "a(b, c)", "a(b) | a(b[, c])");
        check("größe = ä", "größe = ö", "größe = [ä] | größe = [ö]");
        check("same", "same", "same | same");
        check("", "", " | ");
    }

    #[test]
    fn changed_words_in_a_row_are_one_mark() {
        check(
            "if a b then stop()",
            "if c d then stop()",
            "if [a b] then stop() | if [c d] then stop()",
        );
    }

    #[test]
    fn another_indent_is_a_change() {
        check("  call(x)", "    call(x)", "[  ]call(x) | [    ]call(x)");
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_marked() {
        check("return Err(error)", "let x = 5;", "return Err(error) | let x = 5;");
        check("", "a", " | a");
    }
}

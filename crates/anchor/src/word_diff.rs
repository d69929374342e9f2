//! Finds the words that differ between two lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// The maximum length of a line that is compared.
const MAX_LINE_LEN: usize = 10_000;

/// Returns the byte ranges of the words of each line that differ from the other line.
///
/// Empty if the lines have less than a third in common: they are different lines, and accidental
/// matches would distract. Consecutive changed words are one range.
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

/// Splits a line into words, whitespace and single punctuation characters.
fn tokens(line: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (start, character) in line.char_indices() {
        let kind = TokenKind::from_char(character);
        let end = start + character.len_utf8();
        match tokens.last_mut().filter(|_| kind != TokenKind::Punctuation && last == Some(kind)) {
            Some(token) => token.end = end,
            None => tokens.push(start..end),
        }
        last = Some(kind);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    Whitespace,
    Punctuation,
}

impl TokenKind {
    fn from_char(character: char) -> Self {
        match character {
            _ if character.is_alphanumeric() || character == '_' => Self::Word,
            _ if character.is_whitespace() => Self::Whitespace,
            _ => Self::Punctuation,
        }
    }
}

fn part<'a>(line: &'a str, range: &Range<usize>) -> &'a str {
    line.get(range.clone()).unwrap_or_default()
}

/// Returns the number of characters that are not whitespace.
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

/// Returns the byte range of consecutive tokens; `None` if there are none.
fn bytes_of(tokens: &[Range<usize>], range: &Range<u32>) -> Option<Range<usize>> {
    let range = tokens.get(range.start as usize..range.end as usize)?;
    Some(range.first()?.start..range.last()?.end)
}

/// Joins ranges that have only whitespace between them.
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

    /// Compares both lines with brackets around the marked ranges.
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
    fn consecutive_changed_words_are_one_range() {
        check(
            "if a b then stop()",
            "if c d then stop()",
            "if [a b] then stop() | if [c d] then stop()",
        );
    }

    #[test]
    fn a_different_indent_is_a_change() {
        check("  call(x)", "    call(x)", "[  ]call(x) | [    ]call(x)");
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_marked() {
        check("return Err(error)", "let x = 5;", "return Err(error) | let x = 5;");
        check("", "a", " | a");
    }
}

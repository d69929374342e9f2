//! Extracts the part of a text that shows the matches.

mod focus;
mod line;

use std::ops::Range;

use crate::fold::is_spaceless;
use focus::focus;
use line::{is_shown, line, visible};

/// Marks text that was cut off.
const CUT: char = '…';

/// The maximum length of a partial word that is left out instead of being shown.
const MAX_PARTIAL_WORD: usize = 20;

/// A part of a text, on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text.
    pub text: String,
    /// The byte ranges of the matches, in order.
    pub marks: Vec<Range<usize>>,
}

/// Returns the part of a text with the best matches, in at most `width` characters.
///
/// White space is collapsed to one space, and control characters are removed. `spans` are the byte
/// ranges of the matches, in order; without any, the start is shown. A `…` marks each side on which
/// text was cut off.
pub fn snippet(text: &str, spans: &[Range<usize>], width: usize) -> Snippet {
    let is_inside =
        |span: &&Range<usize>| !text.get((*span).clone()).unwrap_or_default().is_empty();
    let spans: Vec<Range<usize>> = spans.iter().filter(is_inside).cloned().collect();
    let window = match visible(text.char_indices(), width, text.len()) {
        (all, _) if all == text.len() => 0..all,
        _ => {
            // Leave room for both ellipses.
            let room = width.saturating_sub(2);
            around(text, &focus(text, &spans, room), room)
        }
    };
    let before = text.get(..window.start).unwrap_or_default();
    let after = text.get(window.end..).unwrap_or_default();
    let mut snippet = Snippet::default();
    if width > 0 && before.chars().any(is_shown) {
        snippet.text.push(CUT);
    }
    line(text, &window, &spans, &mut snippet);
    if width > 1 && after.chars().any(is_shown) {
        snippet.text.push(CUT);
    }
    snippet
}

/// Returns the window of `room` characters around the focus, with more text after it than before
/// it.
fn around(text: &str, focus: &Range<usize>, room: usize) -> Range<usize> {
    let inside = text.get(focus.clone()).unwrap_or_default();
    let (end, used) = visible(inside.char_indices(), room, inside.len());
    if end < inside.len() {
        return focus.start..focus.start + end;
    }
    let spare = room - used;
    let before = text.get(..focus.start).unwrap_or_default();
    let after = text.get(focus.end..).unwrap_or_default();
    let (_, available) = visible(after.char_indices(), spare, after.len());
    let wanted = (spare / 3).max(spare - available);
    let (start, taken) = visible(before.char_indices().rev(), wanted, before.len());
    let start = before.len() - start;
    let (length, _) = visible(after.char_indices(), spare - taken, after.len());
    whole_words(text, start..focus.end + length, focus)
}

/// Excludes words that are only partly in the window.
fn whole_words(text: &str, window: Range<usize>, focus: &Range<usize>) -> Range<usize> {
    let before = text.get(window.start..focus.start).unwrap_or_default();
    let after = text.get(focus.end..window.end).unwrap_or_default();
    let mut whole = window;
    if is_in_word(text, whole.start) {
        whole.start += part(before.chars(), before.len());
    }
    if is_in_word(text, whole.end) {
        whole.end -= part(after.chars().rev(), after.len());
    }
    whole
}

/// Returns whether there are letters on both sides of a position.
fn is_in_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    before.ends_with(is_letter) && after.starts_with(is_letter)
}

/// Returns the length of a partial word in bytes; 0 if it is too long to leave out, or nothing else
/// remains.
fn part(characters: impl Iterator<Item = char>, available: usize) -> usize {
    let letters =
        characters.take_while(|character| is_letter(*character)).take(MAX_PARTIAL_WORD + 1);
    let (count, bytes) = letters.fold((0, 0), |(n, bytes), one| (n + 1, bytes + one.len_utf8()));
    if count > MAX_PARTIAL_WORD || bytes == available { 0 } else { bytes }
}

/// Returns whether a character belongs to a word that should not be split.
fn is_letter(character: char) -> bool {
    character.is_alphanumeric() && !is_spaceless(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks a snippet with marks shown as `[…]`; the matches are the occurrences of `words`.
    fn check(text: &str, words: &[&str], width: usize, expected: &str) {
        let mut spans: Vec<_> = words
            .iter()
            .flat_map(|word| text.match_indices(word).map(|(at, _)| at..at + word.len()))
            .collect();
        spans.sort_by_key(|span| span.start);
        let snippet = snippet(text, &spans, width);
        assert!(snippet.text.chars().count() <= width, "{snippet:?}");
        let mut marked = snippet.text.clone();
        for mark in snippet.marks.iter().rev() {
            marked.insert(mark.end, ']');
            marked.insert(mark.start, '[');
        }
        assert_eq!(marked, expected);
    }

    #[test]
    fn shows_the_match_with_its_context() {
        let text =
            "The first line is long.\n\nThe second one has the needle in it, and then goes on.";
        check(text, &["needle"], 200, &text.replace("\n\n", " ").replace("needle", "[needle]"));
        check(text, &["needle"], 40, "…has the [needle] in it, and then goes…");
        check(text, &["The first"], 30, "[The first] line is long. The…");
        check(text, &["on."], 30, "…in it, and then goes [on.]");
        check(text, &[], 20, "The first line is…");
        check("", &[], 20, "");
        check("it all fits", &["fits"], 11, "it all [fits]");
    }

    #[test]
    fn takes_the_window_with_the_most_different_matches() {
        let text =
            format!("red red red {} red green blue {} blue", "x ".repeat(50), "y ".repeat(50));
        check(&text, &["red", "green", "blue"], 30, "…x x [red] [green] [blue] y y y y y…");
    }

    #[test]
    fn is_one_line_without_control_characters() {
        check("a\r\n\tb\u{1b}[31m \u{202e}needle\u{0}\n  c", &["needle"], 80, "a b[31m [needle] c");
        check("two\n  words here", &["two\n  words"], 80, "[two words] here");
    }

    #[test]
    fn a_match_that_is_too_long_is_cut() {
        let long = "n".repeat(100);
        check(&format!("a {long} b"), &[&long], 12, "…[nnnnnnnnnn]…");
        check("needle", &["needle"], 1, "");
        check("needle", &["needle"], 0, "");
        check("漢字漢字漢字漢字needle漢字漢字漢字", &["needle"], 12, "…字[needle]漢字漢…");
        check(
            "漢字。漢字漢字 needle 漢字漢字、漢字漢字",
            &["needle"],
            16,
            "…字 [needle] 漢字漢字、…",
        );
    }

    proptest! {
        #[test]
        fn marks_are_in_the_text_and_the_width_is_kept(
            text in "([a-c]{1,9}|[\\s\u{0}漢é]){0,80}", cuts in prop::collection::vec((0_usize..200, 0_usize..20), 0..9),
            width in 0_usize..60,
        ) {
            let mut spans: Vec<_> = cuts.into_iter().map(|(start, length)| start..start + length).collect();
            spans.sort_by_key(|span| span.start);
            let snippet = snippet(&text, &spans, width);
            prop_assert!(snippet.text.chars().count() <= width);
            prop_assert!(!snippet.text.chars().any(char::is_control));
            prop_assert!(!snippet.text.contains("  "));
            for mark in snippet.marks {
                prop_assert!(snippet.text.get(mark).is_some_and(|part| !part.trim().is_empty()));
            }
        }
    }
}

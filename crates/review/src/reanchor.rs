//! Predicts where the VS Code extension, which defined the format, puts a comment when it loads a thread.
//!
//! The extension searches for the commented text and takes the first 50 matches. Each gets 10 points for every equal line of context,
//! minus the distance from a hint in lines. The match with the highest score wins, and the thread file is rewritten if it is not the
//! stored location. The hint is the start of the hunk on the new side from the hunk header, else the stored line.

use skein_format::review::{Context, Range};

/// Maximum number of matches that the extension considers.
const MAX_PLACES: usize = 50;

/// The score of one equal line of context, in lines of distance.
const LINE_SCORE: i64 = 10;

/// Returns whether a comment stays on its line with the start of a hunk, counted from 1, as the hint.
///
/// The number of context lines and the base of the hint vary, so the comment must stay in all cases. A match with the same score as the
/// stored location counts as a move.
pub(super) fn stays(lines: &[String], range: Range, context: &Context, hunk_start: u32) -> bool {
    let places = places(lines, &context.selection);
    let hunk_start = i64::from(hunk_start);
    let cases = [(2, hunk_start), (2, hunk_start - 1), (3, hunk_start), (3, hunk_start - 1)];
    cases.into_iter().all(|(around, hint)| {
        let score = |place: &Place| {
            let equal = place.equal_lines(lines, context, around);
            LINE_SCORE * i64::try_from(equal).unwrap_or_default()
                - (i64::try_from(place.first).unwrap_or(i64::MAX) - hint).abs()
        };
        let is_own = |place: &&Place| place.first == range.start_line as usize;
        let own = places.iter().filter(is_own).map(score).max();
        let rival = places.iter().filter(|place| !is_own(place)).map(score).max();
        own.is_some() && own > rival
    })
}

/// The lines of a match.
struct Place {
    first: usize,
    last: usize,
}

impl Place {
    /// Returns the number of equal context lines around the match, up to `around` on each side.
    fn equal_lines(&self, lines: &[String], context: &Context, around: usize) -> usize {
        let above = context.before.iter().rev().take(around).zip(1..).filter(|(text, away)| {
            self.first.checked_sub(*away).and_then(|line| lines.get(line)) == Some(*text)
        });
        let below = context.after.iter().take(around).zip(1..);
        let below = below.filter(|(text, away)| lines.get(self.last + away) == Some(*text));
        above.count() + below.count()
    }
}

/// Returns the first matches of a text, also inside words.
fn places(lines: &[String], selection: &str) -> Vec<Place> {
    if selection.is_empty() {
        return Vec::new();
    }
    let text = lines.join("\n");
    let breaks = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    let more = breaks(selection);
    let (mut places, mut from, mut line) = (Vec::new(), 0, 0);
    while let Some(rest) = text.get(from..).filter(|_| places.len() < MAX_PLACES) {
        let Some(at) = rest.find(selection) else { break };
        line += rest.get(..at).map_or(0, breaks);
        places.push(Place { first: line, last: line + more });
        // The next match may overlap this one.
        let step = rest.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        line += rest.get(at..at + step).map_or(0, breaks);
        from += at + step;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    /// Returns a comment on one line, with three lines of context, as Skein writes it.
    fn comment(lines: &[String], line: u32) -> (Range, Context) {
        let at = line as usize;
        let range =
            Range { start_line: line, start_character: 0, end_line: line, end_character: 0 };
        let context = Context {
            before: lines[at.saturating_sub(3)..at].to_vec(),
            selection: lines[at].clone(),
            after: lines[at + 1..lines.len().min(at + 4)].to_vec(),
        };
        (range, context)
    }

    #[track_caller]
    fn check(text: &str, line: u32, hunk_start: u32, expected: bool) {
        let lines = source(text);
        let (range, context) = comment(&lines, line);
        assert_eq!(stays(&lines, range, &context, hunk_start), expected);
    }

    #[test]
    fn a_text_that_occurs_once_stays() {
        check("a\nb\nc\nd\n", 3, 1, true);
    }

    #[test]
    fn a_comment_moves_to_a_copy_next_to_the_hint() {
        let block = "start\nbody\nend\n\n".repeat(30);
        check(&block, 57, 17, false);
        check(&block, 57, 58, true);
    }

    #[test]
    fn an_occurrence_inside_a_word_counts() {
        let text = format!("function\n{}f\n", "x\n".repeat(60));
        check(&text, 61, 1, false);
    }

    #[test]
    fn an_occurrence_after_fifty_others_is_not_found() {
        check(&"same\n".repeat(80), 70, 71, false);
    }

    #[test]
    fn an_empty_line_cannot_be_found() {
        check("a\n\nb\n", 1, 1, false);
    }
}

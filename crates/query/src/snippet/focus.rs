//! Which matches a snippet shows.

use std::collections::HashMap;
use std::ops::Range;

use crate::token::tokens;

/// The most matches that are compared: where there are more, the first ones are good enough.
const MAX_SPANS: usize = 2000;

/// Returns the bytes from the first to the last of the matches that are worth the most in so many characters.
///
/// Different words are worth more than many, and many more than few.
pub(super) fn focus(text: &str, spans: &[Range<usize>], room: usize) -> Range<usize> {
    let spans = spans.get(..MAX_SPANS).unwrap_or(spans);
    let matches = measured(text, spans);
    let mut seen = vec![0_usize; matches.len()];
    let (mut different, mut first) = (0, 0);
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    for (last, one) in matches.iter().enumerate() {
        if let Some(seen) = seen.get_mut(one.word) {
            different += usize::from(*seen == 0);
            *seen += 1;
        }
        while let Some(out) =
            matches.get(first).filter(|out| first < last && one.end - out.start > room)
        {
            if let Some(seen) = seen.get_mut(out.word) {
                *seen -= 1;
                different -= usize::from(*seen == 0);
            }
            first += 1;
        }
        let worth = (different, last + 1 - first);
        if best.as_ref().is_none_or(|(most, _)| worth > *most) {
            let start = spans.get(first).map_or(0, |span| span.start);
            best = Some((worth, start..spans.get(last).map_or(start, |span| span.end)));
        }
    }
    best.map_or(0..0, |(_, focus)| focus)
}

/// A match, measured in characters from the first one.
struct Match {
    start: usize,
    end: usize,
    /// The number of what it says.
    word: usize,
}

fn measured(text: &str, spans: &[Range<usize>]) -> Vec<Match> {
    let mut words: HashMap<String, usize> = HashMap::new();
    let mut matches = Vec::with_capacity(spans.len());
    let (mut from, mut start) = (spans.first().map_or(0, |span| span.start), 0);
    for span in spans {
        let gap = text.get(from..span.start).unwrap_or_default();
        start += gap.chars().count();
        from = from.max(span.start);
        let inside = text.get(span.clone()).unwrap_or_default();
        let mut word = String::new();
        tokens(inside, |token| {
            word.push_str(token.text);
            word.push(' ');
        });
        let next = words.len();
        let word = *words.entry(word).or_insert(next);
        matches.push(Match { start, end: start + inside.chars().count(), word });
    }
    matches
}

//! Chooses the matches that a snippet shows.

use std::collections::HashMap;
use std::ops::Range;

use crate::token::tokens;

/// The maximum number of matches that are compared; of more, only the first ones.
const MAX_SPANS: usize = 2000;

/// Returns the byte range of the best matches that fit into `room` characters.
///
/// More distinct words are better; with equally many, more matches are better.
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
        while let Some(dropped) =
            matches.get(first).filter(|dropped| first < last && one.end - dropped.start > room)
        {
            if let Some(seen) = seen.get_mut(dropped.word) {
                *seen -= 1;
                different -= usize::from(*seen == 0);
            }
            first += 1;
        }
        let rank = (different, last + 1 - first);
        if best.as_ref().is_none_or(|(most, _)| rank > *most) {
            let start = spans.get(first).map_or(0, |span| span.start);
            best = Some((rank, start..spans.get(last).map_or(start, |span| span.end)));
        }
    }
    best.map_or(0..0, |(_, focus)| focus)
}

/// A match; positions are in characters from the first match.
struct Match {
    start: usize,
    end: usize,
    /// A number that identifies the matched words.
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

//! Finds lines that were split into several.

use crate::alignment::LineChange;
use crate::lines::at;
use crate::rewrite::Texts;
use crate::similarity::{letters, words};

/// The maximum number of words missing between two parts.
const MAX_MISSING_WORDS: usize = 3;

/// The maximum number of lines that a line may be split into.
const MAX_PARTS: usize = 12;

/// Returns the lines into which a line of a hunk was split: the first, and the number of further
/// ones.
///
/// The first is a prefix of the old line, the others contain its next words. `None` unless there is
/// exactly one such position.
pub(crate) fn parts(
    texts: Texts<'_, '_>,
    hunk: &LineChange,
    line: usize,
) -> Option<(usize, usize)> {
    const MAX_HUNK_LINES: usize = 600;
    let all_words = words(at(texts.old, line));
    let mut places = hunk
        .new
        .clone()
        .take(MAX_HUNK_LINES)
        .filter_map(|start| run(texts, hunk, &all_words, start));
    let found = places.next()?;
    places.next().is_none().then_some(found)
}

/// Matches the words of the line with the new lines from `start` on.
fn run(
    texts: Texts<'_, '_>,
    hunk: &LineChange,
    all_words: &[u32],
    start: usize,
) -> Option<(usize, usize)> {
    let beginning = words(at(texts.new, start));
    let mut rest = all_words.strip_prefix(beginning.as_slice())?;
    let weight = |words: &[u32]| words.iter().map(|word| letters(*word)).sum::<u32>();
    let mut found = weight(&beginning);
    if found < 3 || rest.is_empty() {
        return None;
    }
    let mut last = start;
    for line in (start + 1..hunk.new.end).take(MAX_PARTS) {
        let part = words(at(texts.new, line));
        let (mut after, mut common) = (rest, 0);
        for word in &part {
            let ahead = after.iter().take(MAX_MISSING_WORDS + 1).position(|other| other == word);
            if let Some(tail) = ahead.and_then(|skipped| after.get(skipped + 1..)) {
                (after, common) = (tail, common + letters(*word));
            }
        }
        if common * 2 < weight(&part) {
            break;
        }
        if common > 0 {
            (rest, found, last) = (after, found + common, line);
        }
        if rest.is_empty() {
            break;
        }
    }
    let is_most = found * 10 >= weight(all_words) * 7;
    (last > start && is_most).then_some((start, last - start))
}

//! Lines that were broken into several.

use crate::alignment::LineChange;
use crate::lines::at;
use crate::rewrite::Texts;
use crate::similarity::{letters, words};

/// How many words may be missing between two parts.
const SKIPPED: usize = 3;

/// How many lines a line may be broken into.
const MAX_PARTS: usize = 12;

/// Finds the lines into which a line of a changed part was broken: the first, and how many more.
///
/// The first begins as the line did, the others go on with its words. There must be one such place.
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

/// Follows the words of the line from one line on.
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
            let ahead = after.iter().take(SKIPPED + 1).position(|other| other == word);
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

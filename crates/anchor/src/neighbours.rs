//! Places a line by the lines around it.

use crate::lines::{at, is_poor};
use crate::rewrite::Texts;
use crate::similarity::similarity;

/// The maximum distance of a neighbour, in lines.
const MAX_DISTANCE: usize = 4;

/// The minimum similarity of a line to the line at the position given by both neighbours.
const MIN_SIMILARITY: f32 = 0.6;

/// The position of a line according to the lines around it.
pub(crate) struct Vote {
    pub(crate) line: usize,
    /// Whether the lines above and the lines below agree.
    pub(crate) is_agreed: bool,
}

/// Places a line next to its nearest informative neighbours.
///
/// `locate` places an informative line. The lines between the neighbour and the line must be
/// unchanged, and the line itself may have changed only if both neighbours agree.
pub(crate) fn vote(
    texts: Texts<'_, '_>,
    line: usize,
    locate: impl Fn(usize) -> Option<usize>,
) -> Option<Vote> {
    let Texts { old, new } = texts;
    let [above, below] = neighbours(old, line);
    let from_above = above.and_then(|other| {
        let place = locate(other)? + (line - other);
        is_same_run(texts, other + 1..line, place.checked_sub(line - other - 1)?).then_some(place)
    });
    let from_below = below.and_then(|other| {
        let place = locate(other)?.checked_sub(other - line)?;
        is_same_run(texts, line + 1..other, place + 1).then_some(place)
    });
    let (place, is_agreed) = match (from_above, from_below) {
        (Some(one), Some(other)) => (one == other).then_some((one, true))?,
        (one, other) => (one.or(other)?, false),
    };
    let (text, there) = (at(old, line).trim_ascii(), new.get(place)?.trim_ascii());
    let fits =
        text == there || (is_agreed && !is_poor(text) && similarity(text, there) >= MIN_SIMILARITY);
    fits.then_some(Vote { line: place, is_agreed })
}

/// Returns the nearest informative lines above and below.
pub(crate) fn neighbours(lines: &[&[u8]], line: usize) -> [Option<usize>; 2] {
    let is_informative = |other: &usize| !is_poor(at(lines, *other));
    let above = (1..=MAX_DISTANCE).map_while(|away| line.checked_sub(away)).find(is_informative);
    let below = (line + 1..lines.len().min(line + 1 + MAX_DISTANCE)).find(is_informative);
    [above, below]
}

/// Returns whether some old lines equal the new lines from `start` on.
fn is_same_run(texts: Texts<'_, '_>, lines: std::ops::Range<usize>, start: usize) -> bool {
    lines.zip(start..).all(|(line, other)| {
        let there = texts.new.get(other).map(|there| there.trim_ascii());
        there == Some(at(texts.old, line).trim_ascii())
    })
}

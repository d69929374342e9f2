//! Places lines that say nothing themselves by the lines around them.

use crate::lines::{at, is_poor};

/// How far away a neighbour may be.
const FARTHEST: usize = 4;

/// What the lines around a poor line say.
pub(crate) struct Vote {
    pub(crate) line: usize,
    /// Whether the lines above and the lines below agree.
    pub(crate) both: bool,
}

/// Places a blank line or a bracket next to its nearest telling neighbours.
///
/// `locate` places a telling line. Between the neighbour and the line nothing may have changed.
pub(crate) fn vote(
    old: &[&[u8]],
    new: &[&[u8]],
    line: usize,
    locate: impl Fn(usize) -> Option<usize>,
) -> Option<Vote> {
    let above = (1..=FARTHEST)
        .map_while(|distance| line.checked_sub(distance))
        .find(|other| !is_poor(at(old, *other)));
    let below =
        (line + 1..old.len().min(line + 1 + FARTHEST)).find(|other| !is_poor(at(old, *other)));
    let from_above = above.and_then(|other| {
        let place = locate(other)? + (line - other);
        same_run(old, new, (other + 1, line), place).then_some(place)
    });
    let from_below = below.and_then(|other| {
        let place = locate(other)?.checked_sub(other - line)?;
        same_run(old, new, (line, other - 1), place + (other - 1 - line)).then_some(place)
    });
    match (from_above, from_below) {
        (Some(one), Some(other)) if one == other => Some(Vote { line: one, both: true }),
        (Some(line), None) | (None, Some(line)) => Some(Vote { line, both: false }),
        _ => None,
    }
}

/// Returns whether the old lines from first to last are the new lines that end with `end`.
fn same_run(old: &[&[u8]], new: &[&[u8]], (first, last): (usize, usize), end: usize) -> bool {
    (first..=last).all(|line| {
        let other = end.checked_sub(last - line).and_then(|other| new.get(other));
        other.is_some_and(|other| other.trim_ascii() == at(old, line).trim_ascii())
    })
}

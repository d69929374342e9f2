//! Which line of a changed part became which.

use std::ops::Range;

use crate::alignment::Hunk;
use crate::lines::{at, is_poor};
use crate::similarity::{Pattern, similarity};

/// How many lines of a changed part are looked at.
const WIDEST: usize = 600;

/// How much the lines around count, against the line itself.
const CONTEXT: f32 = 0.15;

/// How alike a line and its successor must be at least.
const ALIKE: f32 = 0.45;

/// A line that took the place of another.
pub(crate) struct Successor {
    pub(crate) line: usize,
    /// How alike the two are, from 0 to 1.
    pub(crate) likeness: f32,
    /// How much better the two fit together than either fits any other line.
    pub(crate) margin: f32,
}

/// Finds what became of a line in a changed part: the two must prefer each other to all others.
pub(crate) fn successor(
    old: &[&[u8]],
    new: &[&[u8]],
    hunk: &Hunk,
    line: usize,
) -> Option<Successor> {
    let text = at(old, line);
    let fit = |line: usize, other: usize, likeness: f32| {
        if likeness < ALIKE / 2.0 {
            likeness
        } else {
            likeness + CONTEXT * context(old, new, line, other)
        }
    };
    let pattern = Pattern::new(text);
    let forth = nearest(&hunk.new, position(hunk, line)).map(|other| {
        let likeness = pattern.similarity(at(new, other));
        (other, likeness, fit(line, other, likeness))
    });
    let (found, likeness, best, second) = two_best(forth)?;
    if likeness < ALIKE {
        return None;
    }
    let pattern = Pattern::new(at(new, found));
    let back = nearest(&hunk.old, line).filter(|other| *other != line);
    let rival =
        back.map(|other| fit(other, found, pattern.similarity(at(old, other)))).fold(0.0, f32::max);
    let margin = best - second.max(rival);
    (margin > 0.0).then_some(Successor { line: found, likeness, margin })
}

/// Returns the best one, with its likeness and fit, and the fit of the second best.
fn two_best(candidates: impl Iterator<Item = (usize, f32, f32)>) -> Option<(usize, f32, f32, f32)> {
    let mut best: Option<(usize, f32, f32, f32)> = None;
    for (line, likeness, fit) in candidates {
        best = match best {
            Some((_, _, first, _)) if fit > first => Some((line, likeness, fit, first)),
            Some((other, alike, first, second)) => Some((other, alike, first, second.max(fit))),
            None => Some((line, likeness, fit, 0.0)),
        };
    }
    best
}

/// Returns how well the lines around the two fit together, from 0 to 1.
fn context(old: &[&[u8]], new: &[&[u8]], line: usize, other: usize) -> f32 {
    let above = match (line.checked_sub(1), other.checked_sub(1)) {
        (Some(line), Some(other)) => pair(at(old, line), at(new, other)),
        (None, None) => 1.0,
        _ => 0.0,
    };
    let below = match (old.get(line + 1), new.get(other + 1)) {
        (Some(line), Some(other)) => pair(line, other),
        (None, None) => 1.0,
        _ => 0.0,
    };
    (above + below) / 2.0
}

/// Returns how alike two lines are; that both are blank or brackets says little.
fn pair(one: &[u8], other: &[u8]) -> f32 {
    let likeness = similarity(one, other);
    if is_poor(one) { likeness / 2.0 } else { likeness }
}

/// Returns where a line of the old part would stand in the new part if all lines were stretched alike.
fn position(hunk: &Hunk, line: usize) -> usize {
    let share = (line - hunk.old.start) * hunk.new.len() / hunk.old.len().max(1);
    hunk.new.start + share
}

/// Returns the lines of a range, or those around the middle when there are too many.
fn nearest(range: &Range<usize>, middle: usize) -> Range<usize> {
    if range.len() <= WIDEST {
        return range.clone();
    }
    let start = middle.saturating_sub(WIDEST / 2).clamp(range.start, range.end - WIDEST);
    start..start + WIDEST
}

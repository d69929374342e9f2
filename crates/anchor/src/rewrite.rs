//! Which line of a changed part became which.

use std::ops::Range;

use crate::alignment::{Alignment, Hunk};
use crate::lines::{at, is_poor};
use crate::similarity::{Pattern, similarity};

/// How many lines of a changed part are looked at.
const WIDEST: usize = 600;

/// How many lines outside of the changed part are asked whether they fit better.
const OUTSIDE: usize = 400;

/// How much the lines around count, against the line itself.
const CONTEXT: f32 = 0.15;

/// How much it counts that a line is at the same height, where as many lines came as went.
const LEVEL: f32 = 0.1;

/// How alike a line and its successor must be at least.
const ALIKE: f32 = 0.4;

/// A line that took the place of another.
pub(crate) struct Successor {
    pub(crate) line: usize,
    /// How alike the two are, from 0 to 1.
    pub(crate) likeness: f32,
    /// How alike the lines around them are, from 0 to 1.
    pub(crate) context: f32,
    /// How much better the two fit together than either fits any other line.
    pub(crate) margin: f32,
    /// The same, against the changed lines of other parts.
    pub(crate) outside: f32,
}

/// Two texts that are compared line by line.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'l, 't> {
    pub(crate) old: &'l [&'t [u8]],
    pub(crate) new: &'l [&'t [u8]],
}

/// How well two lines fit together.
#[derive(Clone, Copy, Default)]
struct Fit {
    likeness: f32,
    context: f32,
    /// What being at the same height adds.
    level: f32,
}

impl Fit {
    fn total(self) -> f32 {
        self.likeness * (1.0 - CONTEXT) + self.context * CONTEXT + self.level
    }
}

impl Texts<'_, '_> {
    /// Finds what became of a line in a changed part: the two must prefer each other to all others.
    pub(crate) fn successor(
        self,
        alignment: &Alignment,
        hunk: &Hunk,
        line: usize,
    ) -> Option<Successor> {
        let pattern = Pattern::new(at(self.old, line));
        let is_even = hunk.old.len() == hunk.new.len();
        let level = |line: usize, other: usize| {
            let is_level = is_even && line - hunk.old.start == other - hunk.new.start;
            if is_level { LEVEL } else { 0.0 }
        };
        let fits = |other: usize| self.fit(line, other, pattern.similarity(at(self.new, other)));
        let (mut found, mut best, mut rival) = (None, Fit::default(), 0.0_f32);
        for other in nearest(&hunk.new, position(hunk, line)) {
            let fit = Fit { level: level(line, other), ..fits(other) };
            if found.is_none() || fit.total() > best.total() {
                rival = rival.max(best.total());
                (found, best) = (Some(other), fit);
            } else {
                rival = rival.max(fit.total());
            }
        }
        let found = found.filter(|_| best.likeness >= ALIKE)?;
        let pattern = Pattern::new(at(self.new, found));
        let fits_back =
            |other: usize| self.fit(other, found, pattern.similarity(at(self.old, other)));
        for other in nearest(&hunk.old, line).filter(|other| *other != line) {
            let fit = Fit { level: level(other, found), ..fits_back(other) };
            rival = rival.max(fit.total());
        }
        let mut outside = 0.0_f32;
        for other in around(alignment, hunk, |hunk| &hunk.new) {
            outside = outside.max(fits(other).total());
        }
        for other in around(alignment, hunk, |hunk| &hunk.old) {
            outside = outside.max(fits_back(other).total());
        }
        let margin = best.total() - rival;
        let Fit { likeness, context, .. } = best;
        (margin > 0.0).then_some(Successor {
            line: found,
            likeness,
            context,
            margin,
            outside: best.total() - outside,
        })
    }

    fn fit(self, line: usize, other: usize, likeness: f32) -> Fit {
        // What is not alike does not become a successor by what stands around it.
        if likeness < ALIKE / 2.0 {
            return Fit { likeness, context: 0.0, level: 0.0 };
        }
        let above = pair(telling_above(self.old, line), telling_above(self.new, other));
        let below = pair(telling_below(self.old, line), telling_below(self.new, other));
        Fit { likeness, context: (above + below) / 2.0, level: 0.0 }
    }
}

/// Returns how alike two neighbours are; at the end of both texts they are alike.
fn pair(one: Option<&[u8]>, other: Option<&[u8]>) -> f32 {
    match (one, other) {
        (Some(one), Some(other)) => similarity(one, other),
        (None, None) => 1.0,
        _ => 0.0,
    }
}

fn telling_above<'a>(lines: &[&'a [u8]], line: usize) -> Option<&'a [u8]> {
    let above = lines.get(line.saturating_sub(4)..line).unwrap_or_default();
    above.iter().rev().copied().find(|line| !is_poor(line))
}

fn telling_below<'a>(lines: &[&'a [u8]], line: usize) -> Option<&'a [u8]> {
    let below = lines.get(line + 1..lines.len().min(line + 5)).unwrap_or_default();
    below.iter().copied().find(|line| !is_poor(line))
}

/// Returns the changed lines of one side that are nearest to a hunk and not in it.
fn around<'a>(
    alignment: &'a Alignment,
    hunk: &'a Hunk,
    side: impl Fn(&Hunk) -> &Range<usize> + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let middle = side(hunk).start;
    let window = middle.saturating_sub(OUTSIDE)..middle + side(hunk).len() + OUTSIDE;
    alignment
        .hunks()
        .iter()
        .filter(move |other| *other != hunk)
        .flat_map(move |other| side(other).clone())
        .filter(move |line| window.contains(line))
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

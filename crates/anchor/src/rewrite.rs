//! Matches the old lines of a hunk with its new lines.

use std::ops::Range;

use crate::alignment::LineChange;
use crate::lines::{at, is_poor};
use crate::similarity::{Pattern, similarity};

/// Maximum number of old lines of a hunk that are matched together.
const MAX_OLD: usize = 200;

/// Maximum number of new lines of a hunk that are matched together.
const MAX_NEW: usize = 300;

/// The weight of the neighbouring lines, relative to the line itself.
const CONTEXT_WEIGHT: f32 = 0.15;

/// The bonus for a line at the same offset, in a hunk with as many old lines as new ones.
const SAME_OFFSET_BONUS: f32 = 0.1;

/// The minimum similarity of two matched lines.
const MIN_SIMILARITY: f32 = 0.35;

/// The gain of a pair of equal brackets or blank lines.
const UNINFORMATIVE_GAIN: f32 = 0.02;

/// A line that replaced another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub(crate) line: usize,
    /// The similarity of the two lines, from 0 to 1.
    pub(crate) likeness: f32,
    /// The similarity of their neighbours, from 0 to 1.
    pub(crate) context: f32,
    /// The difference between the best matching and the best one without this pair.
    pub(crate) margin: f32,
}

/// Two texts, as lines.
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
    /// The gain of the pair in a matching; 0 for two lines that are never matched.
    gain: f32,
}

/// The matched lines of a hunk.
pub(crate) struct Matching {
    hunk: Range<usize>,
    rows: Range<usize>,
    successors: Vec<Option<Successor>>,
}

impl Matching {
    /// Returns whether a line was matched with enough lines around it.
    pub(crate) fn covers(&self, hunk: &LineChange, line: usize) -> bool {
        const CONTEXT_LINES: usize = 40;
        let is_inside = |line: usize| self.rows.contains(&line) || !self.hunk.contains(&line);
        self.hunk == hunk.old
            && is_inside(line.saturating_sub(CONTEXT_LINES))
            && is_inside(line + CONTEXT_LINES)
    }

    /// Returns the replacement of a line.
    pub(crate) fn successor(&self, line: usize) -> Option<Successor> {
        let row = line.checked_sub(self.rows.start)?;
        self.successors.get(row).copied().flatten()
    }

    /// Returns the lines around an unrecognised line, up to the recognised ones; `hunk` may be a part
    /// of the matched one.
    pub(crate) fn gap(
        &self,
        hunk: &LineChange,
        line: usize,
        is_recognised: impl Fn(&Successor) -> bool,
    ) -> LineChange {
        let pair = |line| {
            let found = self.successor(line).filter(&is_recognised)?;
            hunk.new.contains(&found.line).then_some((line, found.line))
        };
        let above = (self.rows.start.max(hunk.old.start)..line).rev().find_map(pair);
        let below = (line + 1..self.rows.end.min(hunk.old.end)).find_map(pair);
        let (old_start, new_start) =
            above.map_or((hunk.old.start, hunk.new.start), |(line, other)| (line + 1, other + 1));
        let (old_end, new_end) = below.unwrap_or((hunk.old.end, hunk.new.end));
        LineChange { old: old_start..old_end, new: new_start..new_end }
    }
}

impl Texts<'_, '_> {
    /// Matches the lines of a hunk: the pairs are in order, and their total gain is maximal.
    ///
    /// In a large hunk, only the lines around `line` are matched.
    pub(crate) fn matching(self, hunk: &LineChange, line: usize) -> Matching {
        let rows = nearest(&hunk.old, line, MAX_OLD);
        let columns = nearest(&hunk.new, position(hunk, line), MAX_NEW);
        let fits = self.fits(hunk, &rows, &columns);
        let table = Table { fits: &fits, width: columns.len() };
        let (forward, backward) = (table.forward(rows.len()), table.backward(rows.len()));
        let successors = (0..rows.len())
            .map(|row| {
                let (column, margin) = table.choice(row, &forward, &backward)?;
                let Fit { likeness, context, .. } = table.fit(row, column);
                Some(Successor { line: columns.start + column, likeness, context, margin })
            })
            .collect();
        Matching { hunk: hunk.old.clone(), rows, successors }
    }

    fn fits(self, hunk: &LineChange, rows: &Range<usize>, columns: &Range<usize>) -> Vec<Fit> {
        let is_even = hunk.old.len() == hunk.new.len();
        let mut fits = Vec::with_capacity(rows.len() * columns.len());
        for line in rows.clone() {
            let pattern = Pattern::new(at(self.old, line));
            fits.extend(columns.clone().map(|other| {
                let is_level = is_even && line - hunk.old.start == other - hunk.new.start;
                self.fit(&pattern, line, other, if is_level { SAME_OFFSET_BONUS } else { 0.0 })
            }));
        }
        fits
    }

    fn fit(self, pattern: &Pattern<'_>, line: usize, other: usize, level: f32) -> Fit {
        let (text, there) = (at(self.old, line), at(self.new, other));
        if is_poor(text) || is_poor(there) {
            let is_equal = text.trim_ascii() == there.trim_ascii();
            let gain = if is_equal { UNINFORMATIVE_GAIN + level * UNINFORMATIVE_GAIN } else { 0.0 };
            return Fit { likeness: if is_equal { 1.0 } else { 0.0 }, context: 0.0, gain };
        }
        let likeness = pattern.similarity(there);
        if likeness < MIN_SIMILARITY {
            return Fit { likeness, ..Fit::default() };
        }
        let above = pair(informative_above(self.old, line), informative_above(self.new, other));
        let below = pair(informative_below(self.old, line), informative_below(self.new, other));
        let context = (above + below) / 2.0;
        let gain = likeness * (1.0 - CONTEXT_WEIGHT) + context * CONTEXT_WEIGHT + level
            - MIN_SIMILARITY / 2.0;
        Fit { likeness, context, gain }
    }
}

/// How well each old line fits each new line, row by row.
struct Table<'f> {
    fits: &'f [Fit],
    width: usize,
}

/// The maximum total gains for the first, or the last, lines of both sides.
struct Sums(Vec<f32>);

impl Table<'_> {
    fn fit(&self, row: usize, column: usize) -> Fit {
        self.fits.get(row * self.width + column).copied().unwrap_or_default()
    }

    fn sum(&self, sums: &Sums, row: usize, column: usize) -> f32 {
        sums.0.get(row * (self.width + 1) + column).copied().unwrap_or_default()
    }

    fn set(&self, sums: &mut Sums, row: usize, column: usize, value: f32) {
        if let Some(sum) = sums.0.get_mut(row * (self.width + 1) + column) {
            *sum = value;
        }
    }

    /// Returns the maximum gains of the lines before each pair of lines.
    fn forward(&self, height: usize) -> Sums {
        let mut sums = Sums(vec![0.0; (height + 1) * (self.width + 1)]);
        for row in 0..height {
            for column in 0..self.width {
                let skipped =
                    self.sum(&sums, row, column + 1).max(self.sum(&sums, row + 1, column));
                let paired = self.sum(&sums, row, column) + self.fit(row, column).gain;
                self.set(&mut sums, row + 1, column + 1, skipped.max(paired));
            }
        }
        sums
    }

    /// Returns the maximum gains of the lines from each pair of lines on.
    fn backward(&self, height: usize) -> Sums {
        let mut sums = Sums(vec![0.0; (height + 1) * (self.width + 1)]);
        for row in (0..height).rev() {
            for column in (0..self.width).rev() {
                let skipped =
                    self.sum(&sums, row + 1, column).max(self.sum(&sums, row, column + 1));
                let paired = self.sum(&sums, row + 1, column + 1) + self.fit(row, column).gain;
                self.set(&mut sums, row, column, skipped.max(paired));
            }
        }
        sums
    }

    /// Returns the column matched with a row, and by how much it is better than every alternative.
    fn choice(&self, row: usize, forward: &Sums, backward: &Sums) -> Option<(usize, f32)> {
        let (mut best, mut rival) = (None, f32::MIN);
        for column in 0..=self.width {
            let before = self.sum(forward, row, column);
            rival = rival.max(before + self.sum(backward, row + 1, column));
            let gain = self.fit(row, column).gain;
            if column == self.width || gain <= 0.0 {
                continue;
            }
            let through = before + gain + self.sum(backward, row + 1, column + 1);
            match best {
                Some((_, most)) if through <= most => rival = rival.max(through),
                _ => {
                    rival = best.map_or(rival, |(_, most): (usize, f32)| rival.max(most));
                    best = Some((column, through));
                }
            }
        }
        let (column, most) = best?;
        (most > rival).then_some((column, most - rival))
    }
}

/// Returns the similarity of two neighbours; 1 if both are missing.
fn pair(one: Option<&[u8]>, other: Option<&[u8]>) -> f32 {
    match (one, other) {
        (Some(one), Some(other)) => similarity(one, other),
        (None, None) => 1.0,
        _ => 0.0,
    }
}

fn informative_above<'a>(lines: &[&'a [u8]], line: usize) -> Option<&'a [u8]> {
    let above = lines.get(line.saturating_sub(4)..line).unwrap_or_default();
    above.iter().rev().copied().find(|line| !is_poor(line))
}

fn informative_below<'a>(lines: &[&'a [u8]], line: usize) -> Option<&'a [u8]> {
    let below = lines.get(line + 1..lines.len().min(line + 5)).unwrap_or_default();
    below.iter().copied().find(|line| !is_poor(line))
}

/// Returns the proportional position of an old line in the new lines of a hunk.
fn position(hunk: &LineChange, line: usize) -> usize {
    let share = (line - hunk.old.start) * hunk.new.len() / hunk.old.len().max(1);
    hunk.new.start + share
}

/// Returns a range, or `most` lines of it around `middle` if it is longer.
fn nearest(range: &Range<usize>, middle: usize, most: usize) -> Range<usize> {
    if range.len() <= most {
        return range.clone();
    }
    let start = middle.saturating_sub(most / 2).clamp(range.start, range.end - most);
    start..start + most
}

//! Looks for lines by their text among lines that were added.

use std::ops::Range;

use crate::lines::{at, information, is_poor};

/// Minimum [`information`] of a line that is looked for with few lines around it.
const MIN_WEIGHT: usize = 8;

/// Minimum [`information`] of a line that is looked for by itself.
const TELLING_ALONE: usize = 20;

/// How many lines around the block may speak for a place.
const CONTEXT_LINES: usize = 3;

/// How many places are looked at.
const MAX_CANDIDATES: usize = 64;

/// The lines that are looked for, in the old text.
#[derive(Clone)]
pub(crate) struct Block<'l, 't> {
    pub(crate) old: &'l [&'t [u8]],
    /// The first and the last line.
    pub(crate) range: (usize, usize),
}

/// A place where the block may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The first and the last line.
    pub(crate) lines: (usize, usize),
    /// The share of the block that is there.
    pub(crate) share: f32,
    /// How many informative lines of the block and around it are there, without the one looked for.
    pub(crate) context: usize,
}

impl Candidate {
    /// Returns how sure the place is.
    pub(crate) fn confidence(&self) -> f32 {
        match self.context {
            0 => 0.81,
            1 => 0.84,
            2 => 0.87,
            _ => 0.92,
        }
    }

    fn fit(&self) -> f32 {
        self.share * 3.0 + self.context as f32
    }
}

impl<'t> Block<'_, 't> {
    /// Returns the most informative line of the block, if it is informative enough to be looked for.
    pub(crate) fn probe(&self) -> Option<(usize, &'t [u8])> {
        let (first, last) = self.range;
        let line = (first..=last).rev().max_by_key(|line| information(at(self.old, *line)))?;
        let text = at(self.old, line).trim_ascii();
        (!is_poor(text)).then_some((line, text))
    }

    /// Returns how many lines around a place must be the same, at least, for the block to be taken for moved there.
    ///
    /// `is_only` says whether there is no other place with the same text.
    fn least_context(&self, is_only: bool) -> usize {
        match self.probe().map_or(0, |(_, text)| information(text)) {
            0..MIN_WEIGHT => 3,
            TELLING_ALONE.. if is_only => 0,
            _ if is_only => 1,
            _ => 2,
        }
    }

    /// Returns the places among the added lines where most of the block is.
    pub(crate) fn candidates(
        &self,
        new: &[&[u8]],
        added: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Candidate> {
        let Some((line, text)) = self.probe() else { return Vec::new() };
        added
            .flatten()
            .filter(|other| at(new, *other).trim_ascii() == text)
            .take(MAX_CANDIDATES)
            .filter_map(|other| self.candidate(new, line, other))
            .collect()
    }

    /// Rates the place where one line of the block is.
    fn candidate(&self, new: &[&[u8]], line: usize, other: usize) -> Option<Candidate> {
        let (first, last) = self.range;
        let (start, end) = ((other + first).checked_sub(line)?, other + last - line);
        if end >= new.len() {
            return None;
        }
        let same = |old_line: usize| {
            let place = (other + old_line).checked_sub(line);
            let there = place.and_then(|place| new.get(place)).copied();
            there.is_some_and(|there| there.trim_ascii() == at(self.old, old_line).trim_ascii())
        };
        let weight = |line: usize| information(at(self.old, line));
        let total: usize = (first..=last).map(weight).sum();
        let there: usize = (first..=last).filter(|line| same(*line)).map(weight).sum();
        let around = (first.saturating_sub(CONTEXT_LINES)
            ..self.old.len().min(last + 1 + CONTEXT_LINES))
            .filter(|other| *other != line);
        let context = around.filter(|line| weight(*line) >= 4 && same(*line)).count();
        let share = there as f32 / total.max(1) as f32;
        Some(Candidate { lines: (start, end), share, context })
    }
}

/// Returns the candidate that is clearly the best.
pub(crate) fn choose<'c, T>(
    block: &Block<'_, '_>,
    candidates: &'c [(T, Candidate)],
) -> Option<&'c (T, Candidate)> {
    let best = candidates.iter().max_by(|one, other| one.1.fit().total_cmp(&other.1.fit()))?;
    let rivals = candidates.iter().filter(|other| other.1.fit() > best.1.fit() - 0.9).count();
    let least = block.least_context(candidates.len() == 1);
    (rivals == 1 && best.1.context >= least).then_some(best)
}

//! Searches the added lines for a block of old lines.

use std::ops::Range;

use crate::lines::{at, information, is_poor};

/// Minimum [`information`] of a line for which less than three lines of context are enough.
const MIN_WEIGHT: usize = 8;

/// Minimum [`information`] of a line for which no context is needed.
const UNIQUE_WEIGHT: usize = 20;

/// Minimum [`information`] of such a line if the old text has it only once.
const UNIQUE_IN_FILE_WEIGHT: usize = 10;

/// The number of context lines on each side that are compared.
const CONTEXT_LINES: usize = 3;

/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 64;

/// The lines to search for, in the old text.
#[derive(Clone)]
pub(crate) struct Block<'l, 't> {
    pub(crate) old: &'l [&'t [u8]],
    /// The first and the last line.
    pub(crate) range: (usize, usize),
    /// Whether the new text is that of the same file. In other files, short lines are equal by coincidence more often.
    pub(crate) is_same_file: bool,
}

/// A possible position of the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The first and the last line.
    pub(crate) lines: (usize, usize),
    /// The share of the block that is equal there, by information.
    pub(crate) share: f32,
    /// The number of informative lines, in and around the block, that are equal there, without the
    /// searched line.
    pub(crate) context: usize,
}

impl Candidate {
    /// Returns the confidence of the position.
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
    /// Returns the most informative line of the block, if it has enough information to search for.
    pub(crate) fn probe(&self) -> Option<(usize, &'t [u8])> {
        let (first, last) = self.range;
        let line = (first..=last).rev().max_by_key(|line| information(at(self.old, *line)))?;
        let text = at(self.old, line).trim_ascii();
        (!is_poor(text)).then_some((line, text))
    }

    /// Returns the minimum number of equal context lines for the block to count as moved.
    ///
    /// `is_only` is whether there is only one candidate.
    fn least_context(&self, is_only: bool) -> usize {
        let probe = self.probe();
        match probe.map_or(0, |(_, text)| information(text)) {
            0..MIN_WEIGHT => 3,
            UNIQUE_WEIGHT.. if is_only => 0,
            UNIQUE_IN_FILE_WEIGHT.. if is_only && self.is_unique(probe) => 0,
            _ if is_only => 1,
            _ => 2,
        }
    }

    /// Returns whether the old text of the same file has the most informative line once.
    fn is_unique(&self, probe: Option<(usize, &[u8])>) -> bool {
        let Some((_, text)) = probe.filter(|_| self.is_same_file) else { return false };
        self.old.iter().filter(|line| line.trim_ascii() == text).count() == 1
    }

    /// Returns the positions among the added lines where the most informative line is.
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

    /// Rates the position at which `line` of the block is line `other` of the new text.
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

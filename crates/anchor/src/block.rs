//! Looks for lines by their text among lines that were added.

use std::ops::Range;

use crate::lines::{at, information};

/// How much the line that is looked for must tell.
const TELLING: usize = 8;

/// How many lines around the block may speak for a place.
const AROUND: usize = 3;

/// How many places are looked at.
const MOST: usize = 64;

/// The lines that are looked for, in the text where they stood.
#[derive(Clone)]
pub(crate) struct Block<'l, 't> {
    pub(crate) old: &'l [&'t [u8]],
    /// The first and the last line.
    pub(crate) range: (usize, usize),
}

/// A place where the block may stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The first and the last line.
    pub(crate) lines: (usize, usize),
    /// The share of the block that stands there.
    pub(crate) share: f32,
    /// How many telling lines around the block stand around the place.
    pub(crate) context: usize,
}

impl<'t> Block<'_, 't> {
    /// Returns the line of the block that tells most, if it tells enough to be looked for.
    pub(crate) fn probe(&self) -> Option<(usize, &'t [u8])> {
        let (first, last) = self.range;
        let line = (first..=last).rev().max_by_key(|line| information(at(self.old, *line)))?;
        let text = at(self.old, line).trim_ascii();
        (information(text) >= TELLING).then_some((line, text))
    }

    /// Returns how often the text of the probe stands in the old text.
    pub(crate) fn copies(&self) -> usize {
        let Some((_, text)) = self.probe() else { return 0 };
        self.old.iter().filter(|line| line.trim_ascii() == text).count()
    }

    /// Returns the places among the added lines where most of the block stands.
    pub(crate) fn candidates(
        &self,
        new: &[&[u8]],
        added: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Candidate> {
        let Some((line, text)) = self.probe() else { return Vec::new() };
        added
            .flatten()
            .filter(|other| at(new, *other).trim_ascii() == text)
            .take(MOST)
            .filter_map(|other| self.candidate(new, line, other))
            .collect()
    }

    /// Judges the place where one line of the block stands.
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
        let around = (first.saturating_sub(AROUND)..first)
            .chain(last + 1..self.old.len().min(last + 1 + AROUND));
        let context = around.filter(|line| weight(*line) >= 4 && same(*line)).count();
        let share = there as f32 / total.max(1) as f32;
        Some(Candidate { lines: (start, end), share, context })
    }
}

/// Returns the candidate that is clearly the best; `copies` is how often the text stood in the old text.
pub(crate) fn choose<T>(candidates: &[(T, Candidate)], copies: usize) -> Option<&(T, Candidate)> {
    const WHOLE: f32 = 0.6;
    let fit = |candidate: &Candidate| candidate.share * 3.0 + candidate.context as f32;
    let best = candidates.iter().max_by(|one, other| fit(&one.1).total_cmp(&fit(&other.1)))?;
    if best.1.share < WHOLE {
        return None;
    }
    let near = candidates.iter().filter(|other| fit(&other.1) > fit(&best.1) - 0.9).count();
    let is_alone = near == 1 && (candidates.len() == 1 || best.1.context > 0);
    let is_enough = best.1.context > 0 || copies == 1;
    (is_alone && is_enough).then_some(best)
}

//! Places lines of a text that is known as a whole.

use crate::alignment::Alignment;
use crate::block::{Block, choose};
use crate::lines::{at, information, is_poor};
use crate::neighbours::vote;
use crate::placement::{Placement, State};
use crate::rewrite::successor;

/// Two texts and how they differ.
pub(crate) struct Scene<'l, 't> {
    old: &'l [&'t [u8]],
    new: &'l [&'t [u8]],
    alignment: Alignment,
}

/// Where one line stands.
#[derive(Clone, Copy)]
struct Found {
    line: usize,
    confidence: f32,
}

impl<'l, 't> Scene<'l, 't> {
    pub(crate) fn new(old: &'l [&'t [u8]], new: &'l [&'t [u8]]) -> Self {
        Self { old, new, alignment: Alignment::new(old, new) }
    }

    /// Places the lines from `first` to `last`.
    pub(crate) fn place(&self, first: usize, last: usize) -> Placement {
        let in_place = self.hull(first, last).map(|(lines, confidence)| {
            Placement::at(self.state((first, last), lines), lines, confidence)
        });
        in_place.or_else(|| self.moved(first, last)).unwrap_or(Placement::gone(0.8))
    }

    /// Returns the first and the last line that is still there, when enough of them is.
    fn hull(&self, first: usize, last: usize) -> Option<((usize, usize), f32)> {
        if first == last {
            let found = self.find(first)?;
            return Some(((found.line, found.line), found.confidence));
        }
        let (mut lines, mut confidence, mut kept) = (None, 1.0_f32, 0);
        let (mut from, mut to) = (first, last);
        for line in (first..=last).filter(|line| !is_poor(at(self.old, *line))) {
            let Some(found) = self.find_telling(line) else { continue };
            let (start, end) = lines.unwrap_or((found.line, found.line));
            if found.line < end {
                return None;
            }
            if lines.is_none() {
                from = line;
            }
            to = line;
            lines = Some((start, found.line));
            confidence = confidence.min(found.confidence);
            kept += information(at(self.old, line));
        }
        let all: usize = (first..=last).map(|line| information(at(self.old, line))).sum();
        if kept * 2 < all {
            return None;
        }
        let penalty = if kept < all { 0.9 } else { 1.0 };
        let lines = self.widened(lines?, (from, to), (first, last));
        Some((lines, confidence * penalty))
    }

    /// Takes in the blank lines and brackets at the ends of the range, as far as they are there.
    fn widened(
        &self,
        (mut start, mut end): (usize, usize),
        (from, to): (usize, usize),
        (first, last): (usize, usize),
    ) -> (usize, usize) {
        let same = |line: usize, other: usize| {
            let text = at(self.old, line).trim_ascii();
            is_poor(text) && self.new.get(other).is_some_and(|other| other.trim_ascii() == text)
        };
        for line in (first..from).rev() {
            match start.checked_sub(1).filter(|above| same(line, *above)) {
                Some(above) => start = above,
                None => break,
            }
        }
        for line in to + 1..=last {
            if !same(line, end + 1) {
                break;
            }
            end += 1;
        }
        (start, end)
    }

    fn find(&self, line: usize) -> Option<Found> {
        match self.alignment.find(line) {
            Ok(place) => Some(Found { line: place, confidence: 0.99 }),
            Err(_) if is_poor(at(self.old, line)) => {
                let vote = vote(self.old, self.new, line, |line| {
                    self.find_telling(line).map(|found| found.line)
                })?;
                Some(Found { line: vote.line, confidence: if vote.both { 0.9 } else { 0.7 } })
            }
            Err(_) => self.find_telling(line),
        }
    }

    /// Finds a line by what it says itself.
    fn find_telling(&self, line: usize) -> Option<Found> {
        let hunk = match self.alignment.find(line) {
            Ok(place) => return Some(Found { line: place, confidence: 0.99 }),
            Err(hunk) => hunk,
        };
        let found = successor(self.old, self.new, hunk, line)?;
        let confidence = (found.likeness + found.margin).min(0.95);
        Some(Found { line: found.line, confidence })
    }

    fn moved(&self, first: usize, last: usize) -> Option<Placement> {
        let block = Block { old: self.old, range: (first, last) };
        let places = block.candidates(self.new, self.alignment.added());
        let places: Vec<_> = places.into_iter().map(|place| ((), place)).collect();
        let (_, place) = choose(&places, block.copies())?;
        let confidence = if place.context > 0 { 0.9 } else { 0.7 };
        Some(Placement::at(State::Moved, place.lines, confidence))
    }

    fn state(&self, old: (usize, usize), new: (usize, usize)) -> State {
        let same = old.1 - old.0 == new.1 - new.0
            && (old.0..=old.1)
                .zip(new.0..)
                .all(|(one, other)| at(self.old, one) == at(self.new, other));
        match same {
            true if old == new => State::Exact,
            true => State::Shifted,
            false => State::Edited,
        }
    }
}

//! Places lines of a text that is known as a whole.

use crate::alignment::{Alignment, Hunk};
use crate::block::{Block, choose};
use crate::broken::parts;
use crate::lines::{at, is_poor};
use crate::neighbours::{neighbours, vote};
use crate::placement::{Placement, State};
use crate::range::Hull;
use crate::rewrite::{Successor, Texts};

/// How sure an unchanged line is.
const UNCHANGED: f32 = 0.99;

/// How sure a blank line or a bracket is that has nothing but such lines around it.
const ALONE: f32 = 0.85;

/// How sure a line is that was broken into several.
const BROKEN: f32 = 0.85;

/// How sure it is that a line is gone when nothing speaks for a place.
const GONE: f32 = 0.8;

/// Two texts and how they differ.
pub(crate) struct Scene<'l, 't> {
    pub(crate) texts: Texts<'l, 't>,
    pub(crate) alignment: Alignment,
}

/// Where one line stands.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) line: usize,
    /// How many lines below belong to it, because the line was broken.
    pub(crate) more: usize,
    pub(crate) confidence: f32,
}

impl Found {
    pub(crate) fn new(line: usize, confidence: f32) -> Self {
        Self { line, more: 0, confidence }
    }
}

impl<'l, 't> Scene<'l, 't> {
    pub(crate) fn new(old: &'l [&'t [u8]], new: &'l [&'t [u8]]) -> Self {
        Self { texts: Texts { old, new }, alignment: Alignment::new(old, new) }
    }

    /// Places the lines from `first` to `last`.
    pub(crate) fn place(&self, first: usize, last: usize) -> Placement {
        let hull = if first == last {
            let found = self.find(first);
            found.map(|Found { line, more, confidence }| Hull {
                lines: (line, line + more),
                confidence,
            })
        } else {
            self.hull(first, last)
        };
        match hull {
            Some(Hull { lines, confidence }) => {
                Placement::at(self.state((first, last), lines), lines, confidence)
            }
            None => self.moved(first, last).unwrap_or(Placement::gone(GONE)),
        }
    }

    /// Finds a line by itself, or by its neighbours when it says too little or too much alike.
    pub(crate) fn find(&self, line: usize) -> Option<Found> {
        let is_poor = is_poor(at(self.texts.old, line));
        let hunk = match self.alignment.find(line) {
            Ok(place) if is_poor => return self.find_poor(line, place),
            Ok(place) => return Some(Found::new(place, UNCHANGED)),
            Err(hunk) => hunk,
        };
        let own = if is_poor { None } else { self.find_telling(line) };
        let broken = || {
            let (line, more) = parts(self.texts, hunk, line).filter(|_| !is_poor)?;
            Some(Found { line, more, confidence: BROKEN })
        };
        own.or_else(broken).or_else(|| {
            let vote =
                vote(self.texts, line, |line| self.find_telling(line).map(|found| found.line))?;
            if is_poor && !vote.both {
                return None;
            }
            let confidence = if vote.both { 0.9 } else { 0.8 };
            Some(Found::new(vote.line, confidence))
        })
    }

    /// Confirms the place of a blank line or a bracket, which may have an equal one by accident.
    ///
    /// Where something came between it and one of its neighbours, nobody can tell to which of them it belongs.
    fn find_poor(&self, line: usize, place: usize) -> Option<Found> {
        let neighbours = neighbours(self.texts.old, line);
        let mut known = neighbours.into_iter().flatten().peekable();
        if known.peek().is_none() {
            return Some(Found::new(place, ALONE));
        }
        let goes_along = |other: usize| {
            let there = self.find_telling(other).map(|found| found.line);
            there.is_some_and(|there| there + line == place + other)
        };
        known.all(goes_along).then(|| Found::new(place, UNCHANGED))
    }

    /// Finds a line by what it says itself.
    fn find_telling(&self, line: usize) -> Option<Found> {
        match self.alignment.find(line) {
            Ok(place) => Some(Found::new(place, UNCHANGED)),
            Err(hunk) => {
                let found = self.texts.successor(&self.alignment, hunk, line)?;
                let confidence = confidence(&found, hunk)?;
                Some(Found::new(found.line, confidence))
            }
        }
    }

    fn moved(&self, first: usize, last: usize) -> Option<Placement> {
        let block = Block { old: self.texts.old, range: (first, last) };
        let places = block.candidates(self.texts.new, self.alignment.added());
        let places: Vec<_> = places.into_iter().map(|place| ((), place)).collect();
        let (_, place) = choose(&places)?;
        Some(Placement::at(State::Moved, place.lines, place.confidence()))
    }

    fn state(&self, old: (usize, usize), new: (usize, usize)) -> State {
        let same = |(one, other)| at(self.texts.old, one) == at(self.texts.new, other);
        let is_same = old.1 - old.0 == new.1 - new.0 && (old.0..=old.1).zip(new.0..).all(same);
        match is_same {
            true if old == new => State::Exact,
            true => State::Shifted,
            false => State::Edited,
        }
    }
}

/// Returns how sure it is that one line took the place of another; none when it is not sure enough.
///
/// The weights are a logistic regression over the histories of a few repositories, as the benchmark of
/// placement draws and judges them, less a little for what those repositories do not have.
fn confidence(found: &Successor, hunk: &Hunk) -> Option<f32> {
    let size = hunk.old.len().max(hunk.new.len()) as f32;
    let score = 2.2
        + 2.2 * found.likeness
        + found.context
        + 2.2 * found.margin.min(0.5)
        + 0.4 * found.outside.clamp(-0.3, 0.3)
        - 0.6 * (1.0 + size).log2();
    let chance = 1.0 / (1.0 + (-score).exp());
    let is_clear = found.likeness >= 0.45 && found.margin >= 0.03 && found.outside >= -0.15;
    (is_clear && chance >= 0.92).then_some(chance - 0.09)
}

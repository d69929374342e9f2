//! Places lines by comparing two complete texts.

use std::cell::RefCell;
use std::rc::Rc;

use crate::alignment::{Alignment, LineChange};
use crate::block::{Block, Candidate, choose};
use crate::lines::{at, is_poor};
use crate::neighbours::{neighbours, vote};
use crate::placement::{MIN_CONFIDENCE, Placement, State};
use crate::rewrite::{Matching, Successor, Texts};
use crate::split_lines::parts;

/// The confidence of an unchanged line.
const UNCHANGED_CONFIDENCE: f32 = 0.99;

/// The confidence of a blank line or a bracket without an informative neighbour.
const ISOLATED_CONFIDENCE: f32 = 0.85;

/// The confidence of a line that was split into several.
const SPLIT_CONFIDENCE: f32 = 0.85;

/// The maximum confidence of a line that is found by its neighbour, which moved.
const MOVED_WITH_NEIGHBOUR_CONFIDENCE: f32 = 0.87;

/// The confidence that a line is gone if no position was found.
const GONE_CONFIDENCE: f32 = 0.8;

/// Two texts and their alignment.
pub(crate) struct TextPair<'l, 't> {
    pub(crate) texts: Texts<'l, 't>,
    pub(crate) alignment: Rc<Alignment>,
    /// The hunks whose lines were matched so far.
    matchings: RefCell<Vec<Rc<Matching>>>,
}

/// The new position of a line.
#[derive(Clone, Copy)]
pub(crate) struct LineMatch {
    pub(crate) line: usize,
    /// The number of further lines that belong to it, if the line was split.
    pub(crate) more: usize,
    pub(crate) confidence: f32,
    /// Whether the line was moved.
    pub(crate) is_moved: bool,
}

/// The current range of some lines.
pub(crate) struct LineHull {
    pub(crate) lines: (usize, usize),
    pub(crate) confidence: f32,
    /// Whether the lines were moved.
    pub(crate) is_moved: bool,
}

impl LineMatch {
    pub(crate) fn new(line: usize, confidence: f32) -> Self {
        Self { line, more: 0, confidence, is_moved: false }
    }
}

impl<'l, 't> TextPair<'l, 't> {
    pub(crate) fn new(old: &'l [&'t [u8]], new: &'l [&'t [u8]]) -> Self {
        Self::with(old, new, Rc::new(Alignment::new(old, new)))
    }

    /// Creates the pair of texts that were compared already.
    pub(crate) fn with(old: &'l [&'t [u8]], new: &'l [&'t [u8]], alignment: Rc<Alignment>) -> Self {
        Self { texts: Texts { old, new }, alignment, matchings: RefCell::default() }
    }

    /// Places the lines from `first` to `last`: where they are recognised, else at what stands in
    /// their place.
    pub(crate) fn place(&self, first: usize, last: usize) -> Placement {
        let found = self.place_recognised(first, last);
        found.or_else(|| self.in_place(first, last)).unwrap_or(Placement::gone(GONE_CONFIDENCE))
    }

    /// Places the lines from `first` to `last` if enough of them are recognised.
    pub(crate) fn place_recognised(&self, first: usize, last: usize) -> Option<Placement> {
        let hull = if first == last {
            let found = self.find(first);
            found.map(|LineMatch { line, more, confidence, is_moved }| LineHull {
                lines: (line, line + more),
                confidence,
                is_moved,
            })
        } else {
            self.hull(first, last)
        };
        match hull.filter(|hull| hull.confidence >= MIN_CONFIDENCE) {
            Some(LineHull { lines, confidence, is_moved }) => {
                let state = match self.state((first, last), lines) {
                    State::Shifted if is_moved => State::Moved,
                    state => state,
                };
                Some(Placement::at(state, lines, confidence))
            }
            None => self.moved(first, last),
        }
    }

    /// Finds a line by itself, or by its neighbours when it is not distinctive.
    pub(crate) fn find(&self, line: usize) -> Option<LineMatch> {
        let is_poor = is_poor(at(self.texts.old, line));
        let hunk = match self.alignment.find(line) {
            Ok(place) if is_poor => return self.find_poor(line, place),
            Ok(place) => return Some(LineMatch::new(place, UNCHANGED_CONFIDENCE)),
            Err(hunk) => hunk,
        };
        let own = if is_poor { None } else { self.find_informative(line) };
        let text = at(self.texts.old, line).trim_ascii();
        let is_same = |found: &LineMatch| at(self.texts.new, found.line).trim_ascii() == text;
        if own.as_ref().is_some_and(is_same) {
            return own;
        }
        let moved = self.moved_to((line, line));
        let moved = |is_sure: bool| {
            let place =
                moved.filter(|place| !is_sure || self.neighbour_moved_too(line, place.lines.0))?;
            Some(LineMatch { is_moved: true, ..LineMatch::new(place.lines.0, place.confidence()) })
        };
        let split = || {
            let (line, more) = parts(self.texts, hunk, line).filter(|_| !is_poor)?;
            Some(LineMatch { more, ..LineMatch::new(line, SPLIT_CONFIDENCE) })
        };
        // The same text with a neighbour that moved too is better than a similar text.
        let with_neighbour = || if is_poor { None } else { self.moved_with_neighbour(line) };
        let found =
            moved(true).or_else(with_neighbour).or(own).or_else(split).or_else(|| moved(false));
        found.or_else(|| {
            let vote =
                vote(self.texts, line, |line| self.find_informative(line).map(|found| found.line))?;
            if is_poor && !vote.is_agreed {
                return None;
            }
            let confidence = if vote.is_agreed { 0.9 } else { 0.8 };
            Some(LineMatch::new(vote.line, confidence))
        })
    }

    /// Finds a line next to the new position of a neighbour that moved, if the same text is there.
    ///
    /// This finds the short lines of a block that moved, which are not distinctive.
    fn moved_with_neighbour(&self, line: usize) -> Option<LineMatch> {
        let text = at(self.texts.old, line).trim_ascii();
        neighbours(self.texts.old, line).into_iter().flatten().find_map(|other| {
            let hunk = self.alignment.find(other).err()?;
            let successor = self.matching(hunk, other).successor(other);
            if successor.is_some_and(|successor| successor.likeness >= 1.0) {
                return None;
            }
            let moved = self.moved_to((other, other))?;
            let place = (moved.lines.0 + line).checked_sub(other)?;
            let is_same = self.texts.new.get(place)?.trim_ascii() == text;
            let confidence = moved.confidence().min(MOVED_WITH_NEIGHBOUR_CONFIDENCE);
            let found = LineMatch { is_moved: true, ..LineMatch::new(place, confidence) };
            (is_same && self.alignment.is_added(place)).then_some(found)
        })
    }

    /// Returns whether a neighbour of a moved line moved with it.
    ///
    /// A neighbour at its old position does not confirm the move.
    fn neighbour_moved_too(&self, line: usize, place: usize) -> bool {
        const CONTEXT_LINES: usize = 3;
        (line.saturating_sub(CONTEXT_LINES)..=line + CONTEXT_LINES)
            .filter(|other| *other != line)
            .any(|other| {
                let there =
                    (place + other).checked_sub(line).and_then(|there| self.texts.new.get(there));
                let text = at(self.texts.old, other).trim_ascii();
                !is_poor(text)
                    && self.alignment.find(other).is_err()
                    && there.is_some_and(|there| there.trim_ascii() == text)
            })
    }

    /// Checks the position of a blank line or a bracket, which may match by coincidence.
    ///
    /// If lines were inserted between it and one of its neighbours, the number of equal lines
    /// between it and each neighbour must be the same as before.
    fn find_poor(&self, line: usize, place: usize) -> Option<LineMatch> {
        let neighbours = neighbours(self.texts.old, line);
        let mut known = neighbours.into_iter().flatten().peekable();
        if known.peek().is_none() {
            return Some(LineMatch::new(place, ISOLATED_CONFIDENCE));
        }
        let place_of = |other: usize| self.find_informative(other).map(|found| found.line);
        let is_adjacent =
            |other: usize| place_of(other).is_some_and(|there| there + line == place + other);
        if known.all(is_adjacent) {
            return Some(LineMatch::new(place, UNCHANGED_CONFIDENCE));
        }
        let [above, below] = neighbours;
        let (above, below) = (above?, below?);
        let text = at(self.texts.old, line).trim_ascii();
        let count = |lines: &[&[u8]], from: usize, to: usize| {
            let lines = lines.get(from + 1..to).unwrap_or_default();
            lines.iter().filter(|line| line.trim_ascii() == text).count()
        };
        let (old, new) = (self.texts.old, self.texts.new);
        let (new_above, new_below) = (place_of(above)?, place_of(below)?);
        let is_same = count(old, above, line) == count(new, new_above, place)
            && count(old, line, below) == count(new, place, new_below);
        is_same.then(|| LineMatch::new(place, ISOLATED_CONFIDENCE))
    }

    /// Finds a line by its own text.
    fn find_informative(&self, line: usize) -> Option<LineMatch> {
        match self.alignment.find(line) {
            Ok(place) => Some(LineMatch::new(place, UNCHANGED_CONFIDENCE)),
            Err(hunk) => {
                let found = self.matching(hunk, line).successor(line)?;
                let confidence = confidence(&found, hunk)?;
                Some(LineMatch::new(found.line, confidence))
            }
        }
    }

    /// Matches the lines of a hunk, once for all its lines.
    pub(crate) fn matching(&self, hunk: &LineChange, line: usize) -> Rc<Matching> {
        let mut known = self.matchings.borrow_mut();
        if let Some(found) = known.iter().find(|known| known.covers(hunk, line)) {
            return found.clone();
        }
        let found = Rc::new(self.texts.matching(hunk, line));
        known.push(found.clone());
        found
    }

    fn moved(&self, first: usize, last: usize) -> Option<Placement> {
        let place = self.moved_to((first, last))?;
        let found = settle(self.texts.old, (first, last), self.texts.new, &place)?;
        Some(Placement::at(State::Moved, found.lines, found.confidence))
    }

    /// Finds lines by their text among those that were added.
    fn moved_to(&self, range: (usize, usize)) -> Option<Candidate> {
        let block = Block { old: self.texts.old, range, is_same_file: true };
        let places = block.candidates(self.texts.new, self.alignment.added());
        let places: Vec<_> = places.into_iter().map(|place| ((), place)).collect();
        choose(&block, &places).map(|(_, place)| *place)
    }

    pub(crate) fn state(&self, old: (usize, usize), new: (usize, usize)) -> State {
        let same = |(one, other)| at(self.texts.old, one) == at(self.texts.new, other);
        let is_same = old.1 - old.0 == new.1 - new.0 && (old.0..=old.1).zip(new.0..).all(same);
        match is_same {
            true if old == new => State::Exact,
            true => State::Shifted,
            false => State::Edited,
        }
    }
}

/// Returns the exact range of moved lines, some of which may have changed.
pub(crate) fn settle(
    old: &[&[u8]],
    (first, last): (usize, usize),
    new: &[&[u8]],
    place: &Candidate,
) -> Option<LineHull> {
    const CONTEXT_LINES: usize = 3;
    const WINDOW: usize = 12;
    if place.share >= 1.0 {
        return Some(LineHull {
            lines: place.lines,
            confidence: place.confidence(),
            is_moved: true,
        });
    }
    let above = first.saturating_sub(CONTEXT_LINES);
    let old = old.get(above..old.len().min(last + 1 + CONTEXT_LINES)).unwrap_or_default();
    let from = place.lines.0.saturating_sub(WINDOW);
    let new = new.get(from..new.len().min(place.lines.1 + 1 + WINDOW)).unwrap_or_default();
    let hull = TextPair::new(old, new).hull(first - above, last - above)?;
    let lines = (hull.lines.0 + from, hull.lines.1 + from);
    Some(LineHull { lines, confidence: hull.confidence.min(place.confidence()), is_moved: true })
}

/// Returns the confidence that one line replaced another; `None` if it is too low.
///
/// The weights come from a logistic regression over the histories of the placement benchmark.
/// There, one in four pairs of different lines is wrong between 0.75 and 0.9, and one in fifty
/// between 0.95 and 0.98.
pub(crate) fn confidence(found: &Successor, hunk: &LineChange) -> Option<f32> {
    let size = hunk.old.len().max(hunk.new.len()) as f32;
    let score = 2.2 + 2.2 * found.likeness + found.context + 2.2 * found.margin.min(0.5)
        - 0.6 * (1.0 + size).log2();
    let chance = 1.0 / (1.0 + (-score).exp());
    let least = if found.likeness >= 1.0 { 0.75 } else { 0.9 };
    let is_clear = found.likeness >= 0.45 && found.margin >= 0.05 && chance >= least;
    let most = if found.likeness < 0.75 || chance < 0.98 { 0.89 } else { 0.96 };
    is_clear.then_some(chance.clamp(0.8, most))
}

//! Places lines that are not recognised at what stands in their place.

use std::ops::Range;

use crate::lines::{at, is_poor};
use crate::placement::{Placement, State};
use crate::range::MAX_EDGE_LINES;
use crate::text_pair::{TextPair, confidence};

/// The maximum number of lines that clearly stand in the place of others.
pub(crate) const MAX_CLEAR_LINES: usize = 40;

/// The confidence in the position of a rewritten line.
pub(crate) const CONFIDENCE: f32 = 0.85;

/// The confidence in the recognised lines around a line that has no other line in its place.
const AROUND_CONFIDENCE: f32 = 0.7;

/// The confidence in a position within more lines than that.
pub(crate) const UNCLEAR_CONFIDENCE: f32 = 0.5;

/// What stands in the place of an old line.
struct Extent {
    /// Empty if the line was deleted without replacement.
    lines: Range<usize>,
    origin: Origin,
}

/// How new lines come from an old line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The line itself, perhaps edited.
    Recognised,
    /// An unchanged blank line or bracket, which may be another one.
    Poor,
    /// The line in the same row of a gap with as many new lines as old ones.
    Row,
    /// All lines of a gap.
    Gap,
    /// All lines of a large gap.
    LargeGap,
    /// The recognised lines around a gap without new lines.
    Around,
}

impl TextPair<'_, '_> {
    /// Places the lines from `first` to `last` at what stands in their place; `None` if they were
    /// deleted without replacement.
    ///
    /// The lines of a hunk that are not recognised are in gaps between those that are. In a gap with
    /// as many new lines as old ones, each line is in its row; otherwise all new lines of the gap
    /// stand in its place. If the gap has no new lines but its hunk has, these are the recognised
    /// lines around it.
    pub(crate) fn in_place(&self, first: usize, last: usize) -> Option<Placement> {
        let is_edge = |line: usize| line - first < MAX_EDGE_LINES || last - line < MAX_EDGE_LINES;
        // In the middle of a long range only unchanged lines are needed.
        let lines =
            (first..=last).filter(|line| is_edge(*line) || self.alignment.find(*line).is_ok());
        let mut extents: Vec<Extent> =
            lines.map(|line| self.extent(line)).filter(|extent| !extent.lines.is_empty()).collect();
        let is = |origin| move |extent: &Extent| extent.origin == origin;
        let is_recognised = extents.iter().any(is(Origin::Recognised));
        if is_recognised {
            extents.retain(|extent| !matches!(extent.origin, Origin::LargeGap | Origin::Around));
        }
        if extents.iter().all(is(Origin::Poor)) {
            return None;
        }
        let lines = (extents.first()?.lines.start, extents.last()?.lines.end - 1);
        if lines.0 > lines.1 {
            return None;
        }
        let is_in_row = |extent: &Extent| matches!(extent.origin, Origin::Row | Origin::Poor);
        let state = match is_recognised || extents.iter().all(is_in_row) {
            true => self.state((first, last), lines),
            false => State::Replaced,
        };
        let confidence = match () {
            () if extents.iter().any(is(Origin::LargeGap)) => UNCLEAR_CONFIDENCE,
            () if extents.iter().any(is(Origin::Around)) => AROUND_CONFIDENCE,
            () => CONFIDENCE,
        };
        Some(Placement::at(state, lines, confidence))
    }

    /// Returns the lines that replaced a line at the end of a range: none if it was deleted; `None` if that is unclear.
    ///
    /// The new lines of a gap are not taken for the place of a blank line or a bracket, of which nothing shows that they belong to it.
    pub(crate) fn clear_extent(&self, line: usize) -> Option<Range<usize>> {
        let extent = self.extent(line);
        match extent.origin {
            Origin::LargeGap => None,
            Origin::Around => Some(0..0),
            Origin::Gap if is_poor(at(self.texts.old, line)) => Some(0..0),
            _ => Some(extent.lines),
        }
    }

    fn extent(&self, line: usize) -> Extent {
        let at_line = |line, origin| Extent { lines: line..line + 1, origin };
        let is_poor = is_poor(at(self.texts.old, line));
        let hunk = match self.alignment.find(line) {
            Ok(place) if is_poor => return at_line(place, Origin::Poor),
            Ok(place) => return at_line(place, Origin::Recognised),
            Err(hunk) => hunk,
        };
        let matching = self.matching(hunk, line);
        let is_recognised = |found: &_| confidence(found, hunk).is_some();
        if let Some(found) = matching.successor(line).filter(is_recognised) {
            return at_line(found.line, Origin::Recognised);
        }
        let hunk = match self.alignment.find_separate(line) {
            Ok(place) if is_poor => return at_line(place, Origin::Poor),
            Ok(place) => return at_line(place, Origin::Row),
            Err(hunk) => hunk,
        };
        let gap = matching.gap(hunk, line, is_recognised);
        if gap.new.is_empty() && !hunk.new.is_empty() {
            let around = gap.new.start.saturating_sub(1)..gap.new.start + 1;
            let lines = around.start.max(hunk.new.start)..around.end.min(hunk.new.end);
            return Extent { lines, origin: Origin::Around };
        }
        match gap.old.len().max(gap.new.len()) > MAX_CLEAR_LINES {
            true => Extent { lines: gap.new, origin: Origin::LargeGap },
            false if gap.old.len() == gap.new.len() => {
                at_line(gap.new.start + line - gap.old.start, Origin::Row)
            }
            false => Extent { lines: gap.new, origin: Origin::Gap },
        }
    }
}

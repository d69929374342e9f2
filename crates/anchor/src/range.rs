//! Places a range of lines.

use crate::lines::{at, information, is_poor};
use crate::similarity::{Pattern, similarity};
use crate::text_pair::{LineHull, LineMatch, TextPair};

/// The minimum similarity of a line to the line next to the position of its neighbour.
const MIN_SIMILARITY: f32 = 0.75;

/// Below this similarity to every other line, a line counts as deleted.
const DELETED_BELOW: f32 = 0.45;

/// The maximum number of lines compared for that.
const MAX_LINES: usize = 200;

/// The confidence above which a line counts as unchanged.
const UNCHANGED_CONFIDENCE: f32 = 0.95;

/// The number of lines at both ends of a range for which changed lines are searched.
pub(crate) const MAX_EDGE_LINES: usize = 40;

/// The maximum number of lines inserted between two lines of a range if one of them was changed.
const MAX_INSERTED_LINES: usize = 12;

/// A line of the range that was found.
#[derive(Clone, Copy)]
struct Kept {
    line: usize,
    found: LineMatch,
}

impl TextPair<'_, '_> {
    /// Returns the current range of the lines from `first` to `last`, if enough of them exist.
    ///
    /// Only informative lines count; blank lines and brackets at the ends are included.
    pub(crate) fn hull(&self, first: usize, last: usize) -> Option<LineHull> {
        let old = self.texts.old;
        let mut kept: Vec<Kept> = Vec::new();
        for line in (first..=last).filter(|line| !is_poor(at(old, *line))) {
            // In the middle of a long range only unchanged lines are needed.
            let found = if line - first < MAX_EDGE_LINES || last - line < MAX_EDGE_LINES {
                self.find(line).or_else(|| self.next_to(line, kept.last()))
            } else {
                self.alignment.find(line).ok().map(|place| LineMatch::new(place, 1.0))
            };
            kept.extend(found.map(|found| Kept { line, found }));
        }
        if let Some(next) = kept.first().copied().filter(|next| next.line > first) {
            let found = self.before(next);
            kept.splice(0..0, found);
        }
        if !self.is_one_piece(&kept) || !self.ends_are_clear((first, last), &kept) {
            return None;
        }
        let weight = |lines: &mut dyn Iterator<Item = usize>| -> usize {
            lines.map(|line| information(at(old, line))).sum()
        };
        let all = weight(&mut (first..=last));
        let left = weight(&mut kept.iter().map(|kept| kept.line));
        let sure = kept.iter().map(|kept| kept.found.confidence).fold(1.0, f32::min);
        let confidence = match left {
            _ if left == all => sure,
            _ if left * 2 >= all => sure * 0.9,
            // Less than half is enough only if those lines are unchanged.
            _ if sure >= UNCHANGED_CONFIDENCE => sure * 0.85,
            _ => return None,
        };
        let is_moved = kept.iter().any(|kept| kept.found.is_moved);
        Some(LineHull { lines: self.widened((first, last), &kept)?, confidence, is_moved })
    }

    /// Returns the line after the position of the previous line, if it is similar.
    fn next_to(&self, line: usize, above: Option<&Kept>) -> Option<LineMatch> {
        let above = above.filter(|above| above.line + 1 == line)?;
        self.similar_line(line, above.found.line + 1)
    }

    /// Returns the line before the position of the next line, if it is similar.
    fn before(&self, below: Kept) -> Option<Kept> {
        let line = below.line.checked_sub(1)?;
        let found = self.similar_line(line, below.found.line.checked_sub(1)?)?;
        Some(Kept { line, found })
    }

    fn similar_line(&self, line: usize, other: usize) -> Option<LineMatch> {
        let (text, there) = (self.texts.old.get(line)?, self.texts.new.get(other)?);
        let is_free = self.alignment.is_added(other) && !is_poor(text);
        let is_similar = is_free && similarity(text, there) >= MIN_SIMILARITY;
        is_similar.then_some(LineMatch::new(other, 0.85))
    }

    /// Returns whether the lines are in order and close to each other.
    fn is_one_piece(&self, kept: &[Kept]) -> bool {
        kept.windows(2).all(|pair| match pair {
            [one, other] => {
                let is_sure =
                    one.found.confidence.min(other.found.confidence) >= UNCHANGED_CONFIDENCE;
                let apart = other.found.line.checked_sub(one.found.line);
                apart.is_some_and(|apart| {
                    apart > 0 && (is_sure || apart <= other.line - one.line + MAX_INSERTED_LINES)
                })
            }
            _ => true,
        })
    }

    /// Returns whether each line missing before the first and after the last line found was
    /// deleted, as opposed to changed beyond recognition.
    fn ends_are_clear(&self, (first, last): (usize, usize), kept: &[Kept]) -> bool {
        let (Some(top), Some(bottom)) = (kept.first(), kept.last()) else { return false };
        let mut lost = (first..top.line)
            .take(MAX_EDGE_LINES)
            .chain((bottom.line + 1..=last).take(MAX_EDGE_LINES));
        lost.all(|line| {
            let text = at(self.texts.old, line);
            let Err(hunk) = self.alignment.find(line) else { return is_poor(text) };
            let pattern = Pattern::new(text);
            let near = hunk.new.clone().take(MAX_LINES);
            is_poor(text)
                || near
                    .map(|other| pattern.similarity(at(self.texts.new, other)))
                    .all(|likeness| likeness < DELETED_BELOW)
        })
    }

    /// Extends the range by the lines at its ends that are not recognised: by the blank lines and
    /// brackets that still exist, and by what stands in the place of the others.
    fn widened(&self, (first, last): (usize, usize), kept: &[Kept]) -> Option<(usize, usize)> {
        let (top, bottom) = (kept.first()?, kept.last()?);
        let (mut start, mut end) = (top.found.line, bottom.found.line + bottom.found.more + 1);
        for line in (first..top.line).rev() {
            if start > 0 && self.is_same_text(line, start - 1) {
                start -= 1;
                continue;
            }
            match self.clear_extent(line) {
                Some(extent) if extent.is_empty() => {}
                Some(extent) if extent.end >= start => start = start.min(extent.start),
                _ => break,
            }
        }
        for line in bottom.line + 1..=last {
            if self.is_same_text(line, end) {
                end += 1;
                continue;
            }
            match self.clear_extent(line) {
                Some(extent) if extent.is_empty() => {}
                Some(extent) if extent.start <= end => end = end.max(extent.end),
                _ => break,
            }
        }
        Some((start, end - 1))
    }

    fn is_same_text(&self, old: usize, new: usize) -> bool {
        let there = self.texts.new.get(new);
        there.is_some_and(|there| there.trim_ascii() == at(self.texts.old, old).trim_ascii())
    }
}

//! Places several lines as one piece.

use crate::lines::{at, information, is_poor};
use crate::similarity::{Pattern, similarity};
use crate::text_pair::{LineHull, LineMatch, TextPair};

/// How alike a line must be to the one next to where its neighbour went.
const MIN_SIMILARITY: f32 = 0.75;

/// A line that is so little like any other is deleted.
const UNLIKE: f32 = 0.45;

/// How many lines are asked for that.
const MAX_LINES: usize = 200;

/// How sure a line is that did not change.
const SURE: f32 = 0.95;

/// How many lines at either end of a range are looked for when they changed.
const EDGE: usize = 40;

/// How far two lines of a range may be driven apart when one of them was changed.
const APART: usize = 12;

/// A line of the range that was found.
#[derive(Clone, Copy)]
struct Kept {
    line: usize,
    found: LineMatch,
}

impl TextPair<'_, '_> {
    /// Returns the range that the lines from `first` to `last` have now, if most of them exist.
    ///
    /// Only informative lines count; blank lines and brackets at the ends are included.
    pub(crate) fn hull(&self, first: usize, last: usize) -> Option<LineHull> {
        let old = self.texts.old;
        let mut kept: Vec<Kept> = Vec::new();
        for line in (first..=last).filter(|line| !is_poor(at(old, *line))) {
            // In the middle of a long range it is enough to know what did not change.
            let found = if line - first < EDGE || last - line < EDGE {
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
            // The smaller part is enough only if it did not change at all.
            _ if sure >= SURE => sure * 0.85,
            _ => return None,
        };
        let is_moved = kept.iter().any(|kept| kept.found.is_moved);
        Some(LineHull { lines: self.widened((first, last), &kept)?, confidence, is_moved })
    }

    /// Takes the line below the one where the line above went, if it is alike.
    fn next_to(&self, line: usize, above: Option<&Kept>) -> Option<LineMatch> {
        let above = above.filter(|above| above.line + 1 == line)?;
        self.similar_line(line, above.found.line + 1)
    }

    /// Takes the line above the one where the line below went, if it is alike.
    fn before(&self, below: Kept) -> Option<Kept> {
        let line = below.line.checked_sub(1)?;
        let found = self.similar_line(line, below.found.line.checked_sub(1)?)?;
        Some(Kept { line, found })
    }

    fn similar_line(&self, line: usize, other: usize) -> Option<LineMatch> {
        let (text, there) = (self.texts.old.get(line)?, self.texts.new.get(other)?);
        let is_free = self.alignment.is_added(other) && !is_poor(text);
        let is_alike = is_free && similarity(text, there) >= MIN_SIMILARITY;
        is_alike.then_some(LineMatch::new(other, 0.85))
    }

    /// Returns whether the lines are in order and not torn apart.
    fn is_one_piece(&self, kept: &[Kept]) -> bool {
        kept.windows(2).all(|pair| match pair {
            [one, other] => {
                let is_sure = one.found.confidence.min(other.found.confidence) >= SURE;
                let apart = other.found.line.checked_sub(one.found.line);
                apart.is_some_and(|apart| {
                    apart > 0 && (is_sure || apart <= other.line - one.line + APART)
                })
            }
            _ => true,
        })
    }

    /// Returns whether each line that is lost before the first and after the last one kept is deleted, rather
    /// than changed beyond recognition.
    fn ends_are_clear(&self, (first, last): (usize, usize), kept: &[Kept]) -> bool {
        let (Some(top), Some(bottom)) = (kept.first(), kept.last()) else { return false };
        let mut lost = (first..top.line).take(EDGE).chain((bottom.line + 1..=last).take(EDGE));
        lost.all(|line| {
            let text = at(self.texts.old, line);
            let Err(hunk) = self.alignment.find(line) else { return is_poor(text) };
            let pattern = Pattern::new(text);
            let near = hunk.new.clone().take(MAX_LINES);
            is_poor(text)
                || near
                    .map(|other| pattern.similarity(at(self.texts.new, other)))
                    .all(|likeness| likeness < UNLIKE)
        })
    }

    /// Takes in the blank lines and brackets at the ends of the range, as far as they are there.
    fn widened(&self, (first, last): (usize, usize), kept: &[Kept]) -> Option<(usize, usize)> {
        let (top, bottom) = (kept.first()?, kept.last()?);
        let (mut start, mut end) = (top.found.line, bottom.found.line + bottom.found.more);
        let (above, below) = ((first..top.line).rev(), bottom.line + 1..=last);
        start -= self.taken_along(above.zip((0..start).rev()));
        end += self.taken_along(below.zip(end + 1..));
        Some((start, end))
    }

    /// Returns how many of the lines beyond an end of what was found belong to the range, each given with the line of the
    /// new text beside it.
    ///
    /// Blank lines and brackets do as far as they are there. Beyond a telling line that is lost, nothing does, unless
    /// another one was written in its place.
    fn taken_along(&self, beyond: impl Iterator<Item = (usize, usize)> + Clone) -> usize {
        let text = |line: usize| at(self.texts.old, line).trim_ascii();
        if beyond.clone().all(|(line, _)| is_poor(text(line))) {
            let same = |(line, other): &(usize, usize)| {
                self.texts.new.get(*other).is_some_and(|there| there.trim_ascii() == text(*line))
            };
            return beyond.take_while(same).count();
        }
        let place = |line: usize| self.alignment.find(line).ok().or_else(|| self.level(line));
        let taken = beyond.take_while(|(line, other)| place(*line) == Some(*other));
        let telling = taken.enumerate().filter(|(_, (line, _))| !is_poor(text(*line)));
        telling.last().map_or(0, |(index, _)| index + 1)
    }

    /// Returns the line at the same height of a changed part, where as many lines came as went.
    fn level(&self, line: usize) -> Option<usize> {
        let hunk = self.alignment.find(line).err()?;
        (hunk.old.len() == hunk.new.len()).then(|| hunk.new.start + line - hunk.old.start)
    }
}

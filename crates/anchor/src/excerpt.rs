//! Places code of which only the excerpt in the thread is available.

use memchr::memmem;

use crate::block::Block;
use crate::lines::{at, information, split};
use crate::placement::{Placement, State};
use crate::replaced::{CONFIDENCE, MAX_CLEAR_LINES, UNCLEAR_CONFIDENCE};
use crate::text_pair::TextPair;

/// The maximum distance, in lines, by which a context line may have shifted from the selection.
const MAX_DRIFT: usize = 5;

/// Minimum [`information`] of a line of the context.
const MIN_WEIGHT: usize = 4;

/// The confidence that a selection is gone if no position was found.
const GONE_CONFIDENCE: f32 = 0.6;

/// Minimum [`information`] of a text for a high confidence if it occurs once.
const DISTINCTIVE: usize = 12;

/// The number of lines around the excerpt that are included in the comparison.
const CONTEXT_LINES: usize = 12;

/// The selected lines with the lines around them.
pub(crate) struct Excerpt<'a> {
    lines: Vec<&'a [u8]>,
    /// The first and the last selected line in `lines`; `None` if the selection is empty.
    range: Option<(usize, usize)>,
    /// The old line number of the first selected line.
    start: usize,
}

/// A position of the complete selection.
#[derive(Clone, Copy)]
struct Hit {
    line: usize,
    /// The number of informative context lines near it.
    context: usize,
    /// The number of those at their exact offset.
    in_place: usize,
    /// Whether all context lines are at their exact offset.
    seamless: bool,
}

/// Whether a line is the first or the last of the selection.
#[derive(Clone, Copy)]
struct Part {
    is_first: bool,
    is_last: bool,
}

/// Compares a line of the text with a line of the selection.
type Fits = fn(&[u8], &[u8], Part) -> bool;

impl<'a> Excerpt<'a> {
    pub(crate) fn new(
        before: &'a [String],
        selection: &'a str,
        after: &'a [String],
        start: u32,
    ) -> Self {
        let without_end = |line: &'a String| line.trim_end_matches(['\n', '\r']).as_bytes();
        let selected = split(selection.as_bytes());
        let count = selected.len();
        let mut lines: Vec<&[u8]> = before.iter().map(without_end).collect();
        let first = lines.len();
        lines.extend(selected);
        lines.extend(after.iter().map(without_end));
        let range = count.checked_sub(1).map(|more| (first, first + more));
        Self { lines, range, start: usize::try_from(start).unwrap_or(usize::MAX) }
    }

    /// Returns the selection as a block to search for.
    pub(crate) fn block(&self) -> Option<Block<'_, 'a>> {
        self.range.map(|range| Block { old: &self.lines, range, is_same_file: false })
    }

    /// Finds the selection in a text.
    pub(crate) fn place(&self, new: &[&[u8]]) -> Placement {
        let Some((first, last)) = self.range else { return Placement::UNVERIFIED };
        if self.lines.iter().all(|line| information(line) == 0) {
            return Placement::UNVERIFIED;
        }
        let mut hits = self.hits(new, (first, last), is_equal);
        if hits.is_empty() {
            hits = self.hits(new, (first, last), is_part);
        }
        if let Some(hit) = hits.iter().find(|hit| hit.line == self.start && hit.seamless) {
            let confidence = if hits.len() == 1 { 0.98 } else { 0.95 };
            return Placement::at(State::Exact, (hit.line, hit.line + last - first), confidence);
        }
        let in_context = self.in_context(&hits, (first, last));
        in_context
            .or_else(|| self.by_context(new, (first, last), &hits))
            .or_else(|| self.within_context(new, (first, last)))
            .unwrap_or(Placement::gone(GONE_CONFIDENCE))
    }

    /// Returns every position at which all selected lines match.
    fn hits(&self, new: &[&[u8]], (first, last): (usize, usize), fits: Fits) -> Vec<Hit> {
        const MAX_HITS: usize = 256;
        let selected = self.lines.get(first..=last).unwrap_or_default();
        let matches_at = |line: usize| {
            let there = new.get(line..line + selected.len()).unwrap_or_default();
            let count = selected.len();
            there.len() == count
                && there.iter().zip(selected).enumerate().all(|(index, (there, text))| {
                    let at = Part { is_first: index == 0, is_last: index + 1 == count };
                    fits(there.trim_ascii(), text.trim_ascii(), at)
                })
        };
        let places = (0..new.len()).filter(|line| matches_at(*line)).take(MAX_HITS);
        places.map(|line| self.hit(new, (first, last), line)).collect()
    }

    fn hit(&self, new: &[&[u8]], (first, last): (usize, usize), line: usize) -> Hit {
        let around = || (0..first).chain(last + 1..self.lines.len());
        let place = |other: usize| (line + other).checked_sub(first);
        let same = |other: usize, place: usize| {
            // Editors show an empty line after the last line ending, and may have stored it.
            let end = (place == new.len()).then_some(&b""[..]);
            new.get(place)
                .copied()
                .or(end)
                .is_some_and(|text| text.trim_ascii() == at(&self.lines, other).trim_ascii())
        };
        let near = |other: &usize| {
            information(at(&self.lines, *other)) >= MIN_WEIGHT
                && place(*other).is_some_and(|place| {
                    (place.saturating_sub(MAX_DRIFT)..=place + MAX_DRIFT)
                        .any(|place| same(*other, place))
                })
        };
        let exact = |other: &usize| {
            information(at(&self.lines, *other)) >= MIN_WEIGHT
                && place(*other).is_some_and(|place| same(*other, place))
        };
        let seamless = around().all(|other| place(other).is_some_and(|place| same(other, place)));
        Hit {
            line,
            context: around().filter(near).count(),
            in_place: around().filter(exact).count(),
            seamless,
        }
    }

    /// Returns the hit with the most context, if it is the only one and at least half of the
    /// context is there.
    fn in_context(&self, hits: &[Hit], (first, last): (usize, usize)) -> Option<Placement> {
        let best = best(hits)?;
        let all = self.context();
        if all == 0 || best.context * 2 < all {
            return None;
        }
        let lines = (best.line, best.line + last - first);
        let total: usize = self.lines.iter().map(|line| information(line)).sum();
        let selected = self.lines.get(first..=last).unwrap_or_default();
        let is_only = hits.len() == 1;
        let own: usize = selected.iter().map(|line| information(line)).sum();
        let confidence = match best.context * 4 >= all * 3 {
            _ if best.seamless && is_only && total >= DISTINCTIVE => 0.95,
            true if is_only && own >= DISTINCTIVE => 0.92,
            true if best.context > 1 => 0.89,
            true => 0.86,
            false => 0.84,
        };
        let state = if best.line == self.start { State::Exact } else { State::Shifted };
        Some(Placement::at(state, lines, confidence))
    }

    /// Finds the context lines, and compares the lines between them.
    ///
    /// `None` if a hit of the selection has about as much context.
    fn by_context(
        &self,
        new: &[&[u8]],
        (first, last): (usize, usize),
        hits: &[Hit],
    ) -> Option<Placement> {
        let (offset, support) = self.offset(new)?;
        if hits.iter().any(|hit| hit.context + 1 >= support) {
            return None;
        }
        let from = offset.saturating_sub(CONTEXT_LINES);
        let to = new.len().min(offset + self.lines.len() + CONTEXT_LINES);
        let window = new.get(from..to).unwrap_or_default();
        let pair = TextPair::new(&self.lines, window);
        let found = pair.place_recognised(first, last).or_else(|| {
            let is_bounded =
                (first..=last).all(|line| pair.alignment.is_bounded(line, &self.lines));
            pair.in_place(first, last).filter(|_| is_bounded)
        })?;
        let (start, end) = found.lines.filter(|_| found.state != State::Moved)?;
        let line = |line: u32| usize::try_from(line).unwrap_or_default() + from;
        let state = match found.state {
            State::Replaced => State::Replaced,
            _ => State::Edited,
        };
        Some(Placement::at(state, (line(start), line(end)), (found.confidence * 0.95).min(0.89)))
    }

    /// Returns the lines between the complete context, if it occurs once; `None` if there are none.
    fn within_context(&self, new: &[&[u8]], (first, last): (usize, usize)) -> Option<Placement> {
        let (before, after) = (self.lines.get(..first)?, self.lines.get(last + 1..)?);
        let weight: usize = before.iter().chain(after).map(|line| information(line)).sum();
        if before.is_empty() || after.is_empty() || weight < MIN_WEIGHT {
            return None;
        }
        let start = only_run(new, before)? + before.len();
        let end = only_run(new, after)?.checked_sub(1).filter(|end| *end >= start)?;
        let (lines, count) = ((start, end), end + 1 - start);
        Some(match count {
            _ if count == last + 1 - first => Placement::at(State::Edited, lines, CONFIDENCE),
            0..=MAX_CLEAR_LINES => Placement::at(State::Replaced, lines, CONFIDENCE),
            _ => Placement::at(State::Replaced, lines, UNCLEAR_CONFIDENCE),
        })
    }

    /// Returns the number of informative lines around the selection.
    fn context(&self) -> usize {
        let (first, last) = self.range.unwrap_or_default();
        let around = (0..first).chain(last + 1..self.lines.len());
        around.filter(|line| information(at(&self.lines, *line)) >= MIN_WEIGHT).count()
    }

    /// Returns the line at which most lines of the excerpt suggest that it begins, and their
    /// number.
    fn offset(&self, new: &[&[u8]]) -> Option<(usize, usize)> {
        let mut votes: Vec<(usize, usize)> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let text = line.trim_ascii();
            if information(text) < MIN_WEIGHT {
                continue;
            }
            let places: Vec<usize> = (0..new.len())
                .filter(|place| at(new, *place).trim_ascii() == text)
                .take(9)
                .collect();
            // A line that occurs often does not identify a position.
            if places.len() < 9 {
                votes.extend(places.iter().map(|place| (place.saturating_sub(index), index)));
            }
        }
        let support = |offset: usize| {
            let mut lines: Vec<usize> = votes
                .iter()
                .filter(|vote| vote.0.abs_diff(offset) <= MAX_DRIFT)
                .map(|vote| vote.1)
                .collect();
            lines.sort_unstable();
            lines.dedup();
            lines.len()
        };
        let mut ranked: Vec<(usize, usize)> =
            votes.iter().map(|vote| (support(vote.0), vote.0)).collect();
        ranked.sort_unstable_by_key(|(support, offset)| (usize::MAX - support, *offset));
        let &(most, offset) = ranked.first()?;
        let rival = ranked
            .iter()
            .any(|(support, other)| *support == most && other.abs_diff(offset) > 2 * MAX_DRIFT);
        (most >= 2 && !rival).then_some((offset, most))
    }
}

/// Returns the hit with the most context, if it is the only one.
fn best(hits: &[Hit]) -> Option<Hit> {
    let rank = |hit: &Hit| hit.context + hit.in_place;
    let best = hits.iter().max_by_key(|hit| rank(hit))?;
    let rivals = hits.iter().filter(|hit| rank(hit) == rank(best)).count();
    (rivals == 1).then_some(*best)
}

/// Returns the only position of some consecutive lines.
///
/// Editors show an empty line after the last line ending, and may have stored it.
fn only_run(new: &[&[u8]], lines: &[&[u8]]) -> Option<usize> {
    let is_at = |start: &usize| {
        lines.iter().zip(*start..).all(|(line, place)| {
            let end = (place == new.len()).then_some(&b""[..]);
            let there = new.get(place).copied().or(end);
            there.is_some_and(|there| there.trim_ascii() == line.trim_ascii())
        })
    };
    let mut places = (0..new.len()).filter(is_at);
    let only = places.next()?;
    places.next().is_none().then_some(only)
}

fn is_equal(there: &[u8], text: &[u8], _: Part) -> bool {
    there == text
}

/// Matches a selection that begins or ends within a line.
fn is_part(there: &[u8], text: &[u8], part: Part) -> bool {
    match part {
        Part { is_first: true, is_last: true } => {
            information(text) >= MIN_WEIGHT && memmem::find(there, text).is_some()
        }
        Part { is_first: true, .. } => there.ends_with(text),
        Part { is_last: true, .. } => there.starts_with(text),
        _ => there == text,
    }
}

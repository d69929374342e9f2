//! Aligns the lines of two texts with a diff.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner, Token};

use crate::lines::information;

/// The number of equal lines around the changes that are passed to the diff, which may slide hunks
/// over them.
const MARGIN_LINES: usize = 32;

/// The maximum cost of a diff, in pairs of lines.
const MAX_COST: usize = 100_000_000;

/// Lines that were replaced. One of the two ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The hunks of a diff. The lines between two hunks are equal in both texts.
#[derive(Debug)]
pub(crate) struct Alignment {
    hunks: Vec<LineChange>,
    /// The hunks before any were joined.
    separate: Vec<LineChange>,
}

impl Alignment {
    /// Compares two texts.
    ///
    /// A few equal lines with little information between two large changes count as changed.
    pub(crate) fn new(old: &[&[u8]], new: &[&[u8]]) -> Self {
        let same = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let rest = old.len().min(new.len()) - same;
        let backwards = old.iter().rev().zip(new.iter().rev()).take(rest);
        let tail = backwards.take_while(|(one, other)| one == other).count();
        let from = same.saturating_sub(MARGIN_LINES);
        let cut = tail.saturating_sub(MARGIN_LINES);
        let window = Window::new(
            from,
            old.get(from..old.len() - cut).unwrap_or_default(),
            new.get(from..new.len() - cut).unwrap_or_default(),
        );
        let separate = window.hunks();
        Self { hunks: window.joined(&separate), separate }
    }

    /// Returns the new position of an unchanged line, or the hunk of a changed one.
    pub(crate) fn find(&self, line: usize) -> Result<usize, &LineChange> {
        find(&self.hunks, line)
    }

    /// Returns the same as [`Alignment::find`], with hunks as small as the diff has them.
    pub(crate) fn find_separate(&self, line: usize) -> Result<usize, &LineChange> {
        find(&self.separate, line)
    }

    /// Returns whether a line of the old text is between unchanged lines.
    pub(crate) fn is_bounded(&self, line: usize, old: &[&[u8]]) -> bool {
        let Err(hunk) = self.find(line) else { return true };
        hunk.old.start > 0 && hunk.old.end < old.len()
    }

    /// Returns whether a line of the new text is in a hunk.
    pub(crate) fn is_added(&self, line: usize) -> bool {
        let index = self.hunks.partition_point(|hunk| hunk.new.end <= line);
        self.hunks.get(index).is_some_and(|hunk| hunk.new.contains(&line))
    }

    /// Returns the lines that were added.
    pub(crate) fn added(&self) -> impl Iterator<Item = Range<usize>> {
        self.hunks.iter().map(|hunk| hunk.new.clone()).filter(|range| !range.is_empty())
    }
}

fn find(hunks: &[LineChange], line: usize) -> Result<usize, &LineChange> {
    let index = hunks.partition_point(|hunk| hunk.old.end <= line);
    match hunks.get(index) {
        Some(hunk) if hunk.old.contains(&line) => return Err(hunk),
        _ => {}
    }
    let before = index.checked_sub(1).and_then(|index| hunks.get(index));
    Ok(before.map_or(line, |hunk| line - hunk.old.end + hunk.new.end))
}

/// The part of two texts that is compared: without most of the equal lines at both ends.
struct Window<'a> {
    from: usize,
    input: InternedInput<&'a [u8]>,
    /// The number of occurrences of each token in the old and in the new text.
    counts: Vec<(u32, u32)>,
}

impl<'a> Window<'a> {
    fn new(from: usize, old: &[&'a [u8]], new: &[&'a [u8]]) -> Self {
        let mut input = InternedInput {
            before: Vec::with_capacity(old.len()),
            after: Vec::with_capacity(new.len()),
            interner: Interner::new(old.len() + new.len()),
        };
        input.update_before(old.iter().copied());
        input.update_after(new.iter().copied());
        let size = usize::try_from(input.interner.num_tokens()).unwrap_or_default();
        let mut counts = vec![(0, 0); size];
        for token in &input.before {
            if let Some(count) = slot(&mut counts, *token) {
                count.0 += 1;
            }
        }
        for token in &input.after {
            if let Some(count) = slot(&mut counts, *token) {
                count.1 += 1;
            }
        }
        Self { from, input, counts }
    }

    fn hunks(&self) -> Vec<LineChange> {
        if self.is_too_expensive() {
            let (old, new) = (self.input.before.len(), self.input.after.len());
            let (from, old, new) = (self.from, self.from + old, self.from + new);
            return vec![LineChange { old: from..old, new: from..new }];
        }
        let mut diff = Diff::compute(Algorithm::Histogram, &self.input);
        diff.postprocess_lines(&self.input);
        let hunks = diff.hunks();
        hunks
            .map(|hunk| LineChange { old: self.range(&hunk.before), new: self.range(&hunk.after) })
            .collect()
    }

    /// Joins hunks with few equal lines between them.
    fn joined(&self, separate: &[LineChange]) -> Vec<LineChange> {
        let mut hunks: Vec<LineChange> = Vec::new();
        for hunk in separate {
            match hunks.last_mut() {
                Some(last) if self.is_coincidence(last, hunk) => {
                    last.old.end = hunk.old.end;
                    last.new.end = hunk.new.end;
                }
                _ => hunks.push(hunk.clone()),
            }
        }
        hunks
    }

    /// Returns whether the texts are huge with few distinct lines, which takes quadratic time.
    fn is_too_expensive(&self) -> bool {
        const OFTEN: u32 = 64;
        let (mut old, mut new, mut rare) = (0_usize, 0_usize, 1_usize);
        for &(in_old, in_new) in self.counts.iter().filter(|count| count.0 > 0 && count.1 > 0) {
            if in_old > OFTEN && in_new > OFTEN {
                old = old.saturating_add(usize::try_from(in_old).unwrap_or(usize::MAX));
                new = new.saturating_add(usize::try_from(in_new).unwrap_or(usize::MAX));
            } else {
                rare += 1;
            }
        }
        old.saturating_mul(new) / rare > MAX_COST
    }

    /// Returns whether the equal lines between two hunks are likely to be a coincidence.
    fn is_coincidence(&self, before: &LineChange, after: &LineChange) -> bool {
        const MIN_LINES: usize = 8;
        let lines = before.old.end..after.old.start;
        if lines.len() > MIN_LINES {
            return false;
        }
        let size = |hunk: &LineChange| hunk.old.len().max(hunk.new.len());
        let changed = size(before).min(size(after)).min(MIN_LINES);
        let weight: f32 = lines.map(|line| self.weight(line)).sum();
        weight < 0.15 * (changed as f32 - 1.0)
    }

    /// Returns the weight of a match of this line, from 0 to 1; 0 means likely coincidence.
    fn weight(&self, line: usize) -> f32 {
        const MIN_WEIGHT: usize = 20;
        let token = line.checked_sub(self.from).and_then(|line| self.input.before.get(line));
        let Some(token) = token.copied() else { return 0.0 };
        let counts = usize::try_from(token.0).ok().and_then(|token| self.counts.get(token));
        let (old, new) = counts.copied().unwrap_or((1, 1));
        let text = self.input.interner[token];
        information(text).min(MIN_WEIGHT) as f32 / MIN_WEIGHT as f32 / old.max(new).max(1) as f32
    }

    fn range(&self, range: &Range<u32>) -> Range<usize> {
        let line = |line: u32| self.from + usize::try_from(line).unwrap_or_default();
        line(range.start)..line(range.end)
    }
}

fn slot(counts: &mut [(u32, u32)], token: Token) -> Option<&mut (u32, u32)> {
    usize::try_from(token.0).ok().and_then(|token| counts.get_mut(token))
}

//! Draws test cases from a history.

use std::collections::BTreeSet;
use std::path::Path;

use super::case::{CaseKind, ChangeClass, TestCase, Truth};
use super::history::{CommitChanges, History, PatchedFile, RebasedPatch, Replacement};
use super::truth::{Fate, LineSpot, follow_line, is_poor};
use crate::Outcome;
use crate::corpus::random::Random;

/// How many commits are between the two commits of a case.
const DISTANCES: [usize; 3] = [5, 20, 60];

/// How many commits follow a patch that was applied to another base.
const DISTANCES_AFTER_REBASE: [usize; 3] = [0, 5, 20];

/// How many files are used of each pair of commits.
const MAX_FILES: usize = 6;

/// How many more lines of each file are followed to find moved ones.
const EXTRA_LINES: usize = 10;

/// The cases of one repository.
pub(crate) struct Sample {
    pub(crate) cases: Vec<TestCase>,
    /// How many were left out because the correct answer is not clear.
    pub(crate) unclear: usize,
}

/// Draws about `wanted` cases.
pub(crate) fn draw_sample(dir: &Path, wanted: usize) -> Outcome<Sample> {
    let mut drawer = Drawer {
        history: History::open(dir)?,
        random: Random::seeded(1, 0),
        drawn: BTreeSet::new(),
        sample: Sample { cases: Vec::new(), unclear: 0 },
    };
    let rebased = drawer.history.rebased_patches()?;
    let distances = DISTANCES.into_iter().zip(DISTANCES_AFTER_REBASE).cycle();
    for (distance, after_rebase) in distances.take(wanted) {
        if drawer.sample.cases.iter().filter(|case| !case.is_extra).count() >= wanted {
            break;
        }
        drawer.draw_pair(distance)?;
        // A rebased patch gives fewer cases than a pair of commits.
        for _ in 0..2 {
            drawer.draw_rebased(&rebased, after_rebase)?;
        }
    }
    Ok(drawer.sample)
}

/// The commits, the path and the lines of a case.
type CaseKey = ((String, String), String, (usize, usize));

struct Drawer {
    history: History,
    random: Random,
    /// No case counts twice.
    drawn: BTreeSet<CaseKey>,
    sample: Sample,
}

/// Two commits, and the changes between them.
struct CommitPair {
    commits: (String, String),
    changes: Vec<CommitChanges>,
}

/// Lines of a file of the first commit.
struct Lines<'a> {
    path: &'a str,
    text: &'a [u8],
    range: (usize, usize),
    kind: CaseKind,
    is_extra: bool,
}

impl Drawer {
    /// Draws lines of files that differ between a commit and a later one.
    fn draw_pair(&mut self, distance: usize) -> Outcome<()> {
        let Some(last) = self.history.commits.len().checked_sub(distance + 1) else {
            return Ok(());
        };
        let first = self.number_below(last + 1);
        let commit = |index: usize| self.history.commits.get(index).cloned().unwrap_or_default();
        let commits = (commit(first), commit(first + distance));
        let difference = self.history.difference(&commits.0, &commits.1)?;
        let changes = self.history.changes_between(&commits.0, &commits.1)?;
        let pair = CommitPair { commits, changes };
        let mut files: Vec<&PatchedFile> = difference.iter().collect();
        for _ in 0..MAX_FILES.min(files.len()) {
            let file = files.swap_remove(self.number_below(files.len()));
            self.draw_file(&pair, file);
        }
        Ok(())
    }

    fn draw_file(&mut self, pair: &CommitPair, change: &PatchedFile) {
        let Some(path) = &change.old_path else { return };
        let text = self.history.text(&pair.commits.0, path).filter(|text| !text.is_empty());
        let Some(text) = text.filter(|_| !change.is_binary) else { return };
        let count = lines(&text).len();
        let mut drawn = vec![(self.number_below(count), 1)];
        drawn.extend(self.line_near(&change.hunks, count).map(|line| (line, 1)));
        for _ in 0..2 {
            drawn.extend(self.line_inside(&change.hunks).map(|line| (line, 1)));
        }
        drawn.extend(self.line_inside(&change.hunks).map(|line| (line, 3)));
        drawn.extend(self.line_near(&change.hunks, count).map(|line| (line, 3)));
        let start = |line| LineSpot::new(path, line);
        for (line, length) in drawn {
            let first = line.saturating_sub(length / 2);
            let range = (first, (first + length - 1).min(count - 1));
            let kind = if range.0 == range.1 { CaseKind::Line } else { CaseKind::Range };
            self.add(pair, &Lines { path, text: &text, range, kind, is_extra: false }, &start);
        }
        for _ in 0..EXTRA_LINES {
            let Some(line) = self.line_inside(&change.hunks) else { break };
            let (range, kind) = ((line, line), CaseKind::Line);
            self.add(pair, &Lines { path, text: &text, range, kind, is_extra: true }, &start);
        }
    }

    /// Adds a case; `start` returns where a line is before the first change.
    fn add(&mut self, pair: &CommitPair, asked: &Lines<'_>, start: &dyn Fn(usize) -> LineSpot) {
        let Lines { path, range, kind, is_extra, .. } = *asked;
        if !self.drawn.insert((pair.commits.clone(), path.to_owned(), range)) {
            return;
        }
        let texts = lines(asked.text);
        let selected = texts.get(range.0..=range.1).unwrap_or_default();
        let fates: Vec<Fate> =
            (range.0..=range.1).map(|line| follow_line(&pair.changes, start(line))).collect();
        let Some(truth) = Truth::new(selected, &fates) else {
            self.sample.unclear += usize::from(!is_extra);
            return;
        };
        if is_extra && truth.class != ChangeClass::Moved {
            return;
        }
        let is_poor = selected.iter().all(|line| is_poor(line));
        self.sample.cases.push(TestCase {
            commits: pair.commits.clone(),
            kind: if is_poor { CaseKind::Poor } else { kind },
            path: path.to_owned(),
            range,
            truth,
            is_extra,
        });
    }

    /// Draws lines that a patch added on one base, to be found after the same patch on another base.
    fn draw_rebased(&mut self, rebased: &[RebasedPatch], distance: usize) -> Outcome<()> {
        if rebased.is_empty() {
            return Ok(());
        }
        let Some(patch) = rebased.get(self.number_below(rebased.len())) else { return Ok(()) };
        let commit = |index: usize| self.history.commits.get(index).cloned();
        let (Some(inside), Some(end)) = (commit(patch.inside), commit(patch.inside + distance))
        else {
            return Ok(());
        };
        let changes_of = |commit: &str| self.history.difference(&format!("{commit}^"), commit);
        let (outside_changes, inside_changes) = (changes_of(&patch.outside)?, changes_of(&inside)?);
        let commits = (patch.outside.clone(), end);
        let difference = self.history.difference(&commits.0, &commits.1)?;
        let changes = self.history.changes_between(&inside, &commits.1)?;
        let pair = CommitPair { commits, changes };
        for path in difference.iter().filter_map(|change| change.old_path.as_ref()) {
            let of_file = |other: &&PatchedFile| other.new_path.as_ref() == Some(path);
            let outside = outside_changes.iter().find(of_file);
            if let Some((outside, inside)) = outside.zip(inside_changes.iter().find(of_file)) {
                self.draw_added(&pair, path, &added_lines(outside), &added_lines(inside));
            }
        }
        Ok(())
    }

    /// Draws two lines that a patch added to a file.
    fn draw_added(
        &mut self,
        pair: &CommitPair,
        path: &str,
        outside: &[(usize, &[u8])],
        inside: &[(usize, &[u8])],
    ) {
        let texts = |added: &[(usize, &[u8])]| -> Vec<Vec<u8>> {
            added.iter().map(|(_, text)| text.to_vec()).collect()
        };
        if outside.is_empty() || texts(outside) != texts(inside) {
            return;
        }
        let Some(text) = self.history.text(&pair.commits.0, path) else { return };
        for _ in 0..2 {
            let index = self.number_below(outside.len());
            let Some(((line, _), (target, _))) = outside.get(index).zip(inside.get(index)) else {
                continue;
            };
            let (range, kind) = ((*line, *line), CaseKind::Rebased);
            let asked = Lines { path, text: &text, range, kind, is_extra: false };
            self.add(pair, &asked, &|_| LineSpot::new(path, *target));
        }
    }

    /// Draws a line that a hunk replaces.
    fn line_inside(&mut self, hunks: &[Replacement]) -> Option<usize> {
        let changed: Vec<&Replacement> = hunks.iter().filter(|hunk| !hunk.old.is_empty()).collect();
        let hunk = changed.get(self.number_below(changed.len().max(1)))?;
        Some(hunk.old_start + self.number_below(hunk.old.len()))
    }

    /// Draws a line up to five lines above or below a hunk.
    fn line_near(&mut self, hunks: &[Replacement], count: usize) -> Option<usize> {
        let hunk = hunks.get(self.number_below(hunks.len().max(1)))?;
        let distance = 1 + self.number_below(5);
        let line = if self.random.chance(50) {
            hunk.old_start.checked_sub(distance)?
        } else {
            hunk.old_start + hunk.old.len() + distance - 1
        };
        (line < count).then_some(line)
    }

    fn number_below(&mut self, end: usize) -> usize {
        self.random.index(end)
    }
}

/// Returns the lines that a change added, with their numbers.
fn added_lines(change: &PatchedFile) -> Vec<(usize, &[u8])> {
    let hunks = change.hunks.iter();
    hunks.flat_map(|hunk| (hunk.new_start..).zip(hunk.new.iter().map(Vec::as_slice))).collect()
}

/// Returns the lines of a text without their ends.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

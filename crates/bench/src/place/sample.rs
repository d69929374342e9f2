//! Draws test cases from a history.

use std::collections::BTreeSet;
use std::path::Path;

use fastrand::Rng;

use super::case::{CaseKind, ChangeClass, TestCase, Truth};
use super::history::{CommitChanges, History, PatchedFile, Replacement};
use super::truth::{LineSpot, is_poor};
use crate::Outcome;
use crate::corpus::prose::seeded;

/// The number of commits between the two commits of a case, and the number after a rebased patch.
const DISTANCES: [(usize, usize); 3] = [(5, 0), (20, 5), (60, 20)];

/// Maximum number of files of each pair of commits.
const MAX_FILES: usize = 6;

/// The number of additional lines of each file that are followed to find moved ones.
const EXTRA_LINES: usize = 10;

/// The cases of one repository.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) cases: Vec<TestCase>,
}

/// Draws about `wanted` cases whose correct answer is clear, and those that are not clear with them.
pub(super) fn draw_sample(dir: &Path, wanted: usize, seed: u64) -> Outcome<Sample> {
    let (history, random) = (History::open(dir)?, seeded(seed, 0));
    let rebased = history.rebased_patches()?;
    let mut drawer = Drawer { history, random, drawn: BTreeSet::new(), sample: Sample::default() };
    for (distance, after_rebase) in DISTANCES.into_iter().cycle().take(wanted) {
        let cases = drawer.sample.cases.iter();
        let counted = cases.filter(|case| case.kind != CaseKind::Extra && case.truth.is_ok());
        if counted.count() >= wanted {
            break;
        }
        drawer.draw_pair(distance)?;
        // Repeated, because a rebased patch gives fewer cases than a pair of commits.
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
    random: Rng,
    /// The cases so far, to avoid duplicates.
    drawn: BTreeSet<CaseKey>,
    sample: Sample,
}

/// A file of one commit, and the changes from there to another commit.
struct FileHistory<'a> {
    commits: &'a (String, String),
    changes: &'a [CommitChanges],
    path: &'a str,
    lines: &'a [&'a [u8]],
}

impl Drawer {
    /// Draws lines of files that differ between a commit and a later one.
    fn draw_pair(&mut self, distance: usize) -> Outcome<()> {
        let Some(last) = self.history.commits.len().checked_sub(distance + 1) else {
            return Ok(());
        };
        let first = self.random.usize(..last + 1);
        let commit = |index: usize| self.history.commits.get(index).cloned().unwrap_or_default();
        let commits = (commit(first), commit(first + distance));
        let mut files = self.history.difference(&commits.0, &commits.1)?;
        let changes = self.history.changes_between(&commits.0, &commits.1)?;
        for _ in 0..MAX_FILES.min(files.len()) {
            let file = files.swap_remove(self.random.usize(..files.len()));
            let Some(path) = file.old_path.as_deref().filter(|_| !file.is_binary) else { continue };
            let Some(text) = self.history.text(&commits.0, path) else { continue };
            let (commits, changes, lines) = (&commits, changes.as_slice(), &lines(&text));
            self.draw_file(&FileHistory { commits, changes, path, lines }, &file.hunks);
        }
        Ok(())
    }

    fn draw_file(&mut self, file: &FileHistory<'_>, hunks: &[Replacement]) {
        let count = file.lines.len();
        let drawn = [
            (Some(self.random.usize(..count)), 1),
            (self.line_near(hunks, count), 1),
            (self.line_inside(hunks), 1),
            (self.line_inside(hunks), 1),
            (self.line_inside(hunks), 3),
            (self.line_near(hunks, count), 3),
        ];
        for (line, length) in drawn {
            let Some(line) = line else { continue };
            let first = line.saturating_sub(length / 2);
            let range = (first, (first + length - 1).min(count - 1));
            let kind = if range.0 == range.1 { CaseKind::Line } else { CaseKind::Range };
            self.add(file, range, kind, first);
        }
        for _ in 0..EXTRA_LINES {
            let Some(line) = self.line_inside(hunks) else { break };
            self.add(file, (line, line), CaseKind::Extra, line);
        }
    }

    /// Adds a case; `start` is the number of the first line before the first of the changes.
    fn add(&mut self, file: &FileHistory<'_>, range: (usize, usize), kind: CaseKind, start: usize) {
        let FileHistory { commits, path, .. } = *file;
        if !self.drawn.insert((commits.clone(), path.to_owned(), range)) {
            return;
        }
        let selected = file.lines.get(range.0..=range.1).unwrap_or_default();
        let lines = (start..).take(selected.len());
        let spots: Vec<_> =
            lines.map(|line| LineSpot::new(path, line).follow(file.changes)).collect();
        let truth = Truth::new(selected, &spots);
        let is_moved = truth.as_ref().is_ok_and(|truth| truth.class == ChangeClass::Moved);
        if kind == CaseKind::Extra && !is_moved {
            return;
        }
        let is_poor = selected.iter().all(|line| is_poor(line));
        let kind = if is_poor { CaseKind::Poor } else { kind };
        let (commits, path) = (commits.clone(), path.to_owned());
        self.sample.cases.push(TestCase { commits, kind, path, range, truth });
    }

    /// Draws lines that a patch added on one base, to be found after the same patch on another base.
    fn draw_rebased(&mut self, rebased: &[(String, usize)], distance: usize) -> Outcome<()> {
        let Some((outside, inside)) = self.random.choice(rebased) else { return Ok(()) };
        let commit = |index: usize| self.history.commits.get(index).cloned();
        let Some((inside, end)) = commit(*inside).zip(commit(inside + distance)) else {
            return Ok(());
        };
        let changes_of = |commit: &str| self.history.difference(&format!("{commit}^"), commit);
        let (outside_changes, inside_changes) = (changes_of(outside)?, changes_of(&inside)?);
        let commits = (outside.clone(), end);
        let difference = self.history.difference(&commits.0, &commits.1)?;
        let changes = self.history.changes_between(&inside, &commits.1)?;
        for path in difference.iter().filter_map(|change| change.old_path.as_ref()) {
            let added = [&outside_changes, &inside_changes].map(|all| added_lines(all, path));
            let [(outside, outside_texts), (inside, inside_texts)] = &added;
            if outside.is_empty() || outside_texts != inside_texts {
                continue;
            }
            let Some(text) = self.history.text(&commits.0, path) else { continue };
            let (commits, changes, lines) = (&commits, changes.as_slice(), &lines(&text));
            let file = FileHistory { commits, changes, path, lines };
            for _ in 0..2 {
                let pairs = outside.iter().zip(inside);
                if let Some((line, start)) = self.random.choice(pairs) {
                    self.add(&file, (*line, *line), CaseKind::Rebased, *start);
                }
            }
        }
        Ok(())
    }

    /// Draws a line that a hunk replaces.
    fn line_inside(&mut self, hunks: &[Replacement]) -> Option<usize> {
        let changed: Vec<&Replacement> = hunks.iter().filter(|hunk| !hunk.old.is_empty()).collect();
        let hunk = self.random.choice(changed)?;
        Some(hunk.old_start + self.random.usize(..hunk.old.len()))
    }

    /// Draws a line up to five lines above or below a hunk.
    fn line_near(&mut self, hunks: &[Replacement], count: usize) -> Option<usize> {
        let hunk = self.random.choice(hunks)?;
        let distance = 1 + self.random.usize(..5);
        let line = match self.random.bool() {
            true => hunk.old_start.checked_sub(distance),
            false => Some(hunk.old_start + hunk.old.len() + distance - 1),
        };
        line.filter(|line| *line < count)
    }
}

/// Returns the numbers and the texts of the lines that a commit added to a file.
fn added_lines<'a>(changes: &'a CommitChanges, path: &String) -> (Vec<usize>, Vec<&'a Vec<u8>>) {
    let of_file = |change: &&PatchedFile| change.new_path.as_ref() == Some(path);
    let hunks = changes.iter().find(of_file).map(|change| change.hunks.as_slice());
    hunks.unwrap_or_default().iter().flat_map(|hunk| (hunk.new_start..).zip(&hunk.new)).unzip()
}

/// Returns the lines of a text without line endings.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

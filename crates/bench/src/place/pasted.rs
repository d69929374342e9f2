//! Finds a removed line among the lines that the same commit added.

use super::history::{CommitChanges, Replacement};
use super::similarity::letter_count;

/// A line with fewer letters and digits is not found by its text alone.
const MIN_UNIQUE_LETTERS: usize = 8;

/// How many neighbours on each side are compared.
const CONTEXT_LINES: usize = 3;

/// A line that a commit added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AddedLine<'a> {
    /// How many meaningful neighbours are the same.
    pub(crate) support: usize,
    pub(crate) path: &'a str,
    pub(crate) line: usize,
}

pub(crate) enum Pasted<'a> {
    At(AddedLine<'a>),
    /// Several lines match equally well.
    Several,
    None,
}

/// Finds the text of a line that a hunk removes among all lines that the commit added.
pub(crate) fn find_pasted<'a>(
    commit: &'a CommitChanges,
    hunk: &Replacement,
    index: usize,
) -> Pasted<'a> {
    let Some(text) = hunk.old.get(index).map(|text| text.trim_ascii()) else { return Pasted::None };
    let mut found = equal_lines(commit, hunk, index, text);
    // A short line is found only together with a neighbour.
    let least = if letter_count(text) < MIN_UNIQUE_LETTERS { 1 } else { 0 };
    found.retain(|added| letter_count(text) > 2 && added.support >= least);
    found.sort_unstable();
    let (best, second) = (found.pop(), found.pop());
    match (best, second) {
        (None, _) => Pasted::None,
        (Some(best), None) if best.support > 0 || removed_copies(commit, text) == 1 => {
            Pasted::At(best)
        }
        (Some(best), Some(second)) if second.support < best.support => Pasted::At(best),
        _ => Pasted::Several,
    }
}

fn equal_lines<'a>(
    commit: &'a CommitChanges,
    hunk: &Replacement,
    index: usize,
    text: &[u8],
) -> Vec<AddedLine<'a>> {
    let mut found = Vec::new();
    for change in commit {
        let Some(path) = change.new_path.as_deref() else { continue };
        for other in &change.hunks {
            let equal = other.new.iter().enumerate().filter(|(_, line)| line.trim_ascii() == text);
            found.extend(equal.map(|(line, _)| {
                let support = support(&hunk.old, index, &other.new, line);
                AddedLine { support, path, line: other.new_start + line }
            }));
        }
    }
    found
}

/// Returns how often the commit removed the text.
fn removed_copies(commit: &CommitChanges, text: &[u8]) -> usize {
    let removed = commit.iter().flat_map(|change| change.hunks.iter().flat_map(|hunk| &hunk.old));
    removed.filter(|line| line.trim_ascii() == text).count()
}

/// Returns how many neighbours of two lines are equal.
fn support(old: &[Vec<u8>], index: usize, new: &[Vec<u8>], line: usize) -> usize {
    let same = |one: Option<usize>, other: Option<usize>| {
        let texts = one.and_then(|one| old.get(one)).zip(other.and_then(|other| new.get(other)));
        texts.is_some_and(|(one, other)| {
            letter_count(one) > 2 && one.trim_ascii() == other.trim_ascii()
        })
    };
    let above =
        (1..=CONTEXT_LINES).filter(|away| same(index.checked_sub(*away), line.checked_sub(*away)));
    let below = (1..=CONTEXT_LINES).filter(|away| same(Some(index + away), Some(line + away)));
    above.count() + below.count()
}

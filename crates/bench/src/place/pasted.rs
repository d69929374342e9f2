//! Finds a removed line among the lines that the same commit added.

use super::history::{CommitChanges, Replacement};
use super::similarity::letter_count;
use super::successor::Unclear;

/// Minimum number of letters and digits of a line that is found by its text alone.
const MIN_UNIQUE_LETTERS: usize = 8;

/// The number of neighbours on each side that are compared.
const CONTEXT_LINES: usize = 3;

/// A line that a commit added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AddedLine<'a> {
    /// The number of equal meaningful neighbours.
    pub(super) support: usize,
    pub(super) path: &'a str,
    pub(super) line: usize,
}

/// Finds the text of a line that a hunk removes among all lines that the commit added.
pub(super) fn find_pasted<'a>(
    commit: &'a CommitChanges,
    hunk: &Replacement,
    index: usize,
) -> Result<Option<AddedLine<'a>>, Unclear> {
    let Some(text) = hunk.old.get(index).map(|text| text.trim_ascii()) else { return Ok(None) };
    let mut found = Vec::new();
    for change in commit {
        let Some(path) = change.new_path.as_deref() else { continue };
        for other in &change.hunks {
            let equal = other.new.iter().enumerate().filter(|(_, line)| line.trim_ascii() == text);
            found.extend(equal.map(|(line, _)| {
                let support = equal_neighbours(&hunk.old, index, &other.new, line);
                AddedLine { support, path, line: other.new_start + line }
            }));
        }
    }
    // A short line is found only together with a neighbour.
    let least = usize::from(letter_count(text) < MIN_UNIQUE_LETTERS);
    found.retain(|added| letter_count(text) > 2 && added.support >= least);
    found.sort_unstable();
    match (found.pop(), found.pop()) {
        (None, _) => Ok(None),
        (Some(only), None) if only.support > 0 || removed_copies(commit, text) == 1 => {
            Ok(Some(only))
        }
        (Some(best), Some(second)) if second.support < best.support => Ok(Some(best)),
        _ => Err(Unclear::Ambiguous),
    }
}

/// Returns how many lines with this text, apart from white space around it, the commit removed.
pub(super) fn removed_copies(commit: &CommitChanges, text: &[u8]) -> usize {
    let removed = commit.iter().flat_map(|change| change.hunks.iter().flat_map(|hunk| &hunk.old));
    removed.filter(|line| line.trim_ascii() == text.trim_ascii()).count()
}

/// Returns the number of equal neighbours of two lines.
fn equal_neighbours(old: &[Vec<u8>], index: usize, new: &[Vec<u8>], line: usize) -> usize {
    let is_equal = |(one, other): &(&Vec<u8>, &Vec<u8>)| {
        letter_count(one) > 2 && one.trim_ascii() == other.trim_ascii()
    };
    let above = old.iter().take(index).rev().zip(new.iter().take(line).rev());
    let below = old.iter().skip(index + 1).zip(new.iter().skip(line + 1));
    above.take(CONTEXT_LINES).chain(below.take(CONTEXT_LINES)).filter(is_equal).count()
}

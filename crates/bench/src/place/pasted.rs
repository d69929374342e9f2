//! Where a line that was cut has been pasted.

use super::likeness::letters;
use super::patch::{Hunk, Step};

/// How many letters and digits a line needs, to be found by its text alone.
const TELLING: usize = 8;

/// How far around a line its neighbours are looked at.
const CONTEXT_LINES: usize = 3;

/// A place among the lines that a commit added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<'a> {
    /// How many telling neighbours are the same.
    pub(crate) support: usize,
    pub(crate) path: &'a str,
    pub(crate) line: usize,
}

/// What was found.
pub(crate) enum Pasted<'a> {
    At(Place<'a>),
    /// Several places, and nothing tells which.
    Several,
    None,
}

/// Looks for the text of a line that a hunk takes away among all lines that a commit added.
pub(crate) fn pasted<'a>(step: &'a Step, hunk: &Hunk, index: usize) -> Pasted<'a> {
    let Some(text) = hunk.old.get(index).map(|text| text.trim_ascii()) else { return Pasted::None };
    let mut places = places(step, hunk, index, text);
    // A short line is found only along with others.
    let least = if letters(text) < TELLING { 1 } else { 0 };
    places.retain(|place| letters(text) > 2 && place.support >= least);
    places.sort_unstable();
    let (best, second) = (places.pop(), places.pop());
    match (best, second) {
        (None, _) => Pasted::None,
        (Some(best), None) if best.support > 0 || copies(step, text) == 1 => Pasted::At(best),
        (Some(best), Some(second)) if second.support < best.support => Pasted::At(best),
        _ => Pasted::Several,
    }
}

fn places<'a>(step: &'a Step, hunk: &Hunk, index: usize, text: &[u8]) -> Vec<Place<'a>> {
    let mut places = Vec::new();
    for change in step {
        let Some(path) = change.new_path.as_deref() else { continue };
        for other in &change.hunks {
            let equal = other.new.iter().enumerate().filter(|(_, line)| line.trim_ascii() == text);
            places.extend(equal.map(|(line, _)| {
                let support = support(&hunk.old, index, &other.new, line);
                Place { support, path, line: other.new_start + line }
            }));
        }
    }
    places
}

/// Returns how often the commit took the text away.
fn copies(step: &Step, text: &[u8]) -> usize {
    let removed = step.iter().flat_map(|change| change.hunks.iter().flat_map(|hunk| &hunk.old));
    removed.filter(|line| line.trim_ascii() == text).count()
}

/// Returns how many lines around one line are those around the other.
fn support(old: &[Vec<u8>], index: usize, new: &[Vec<u8>], line: usize) -> usize {
    let same = |one: Option<usize>, other: Option<usize>| {
        let texts = one.and_then(|one| old.get(one)).zip(other.and_then(|other| new.get(other)));
        texts.is_some_and(|(one, other)| letters(one) > 2 && one.trim_ascii() == other.trim_ascii())
    };
    let above =
        (1..=CONTEXT_LINES).filter(|away| same(index.checked_sub(*away), line.checked_sub(*away)));
    let below = (1..=CONTEXT_LINES).filter(|away| same(Some(index + away), Some(line + away)));
    above.count() + below.count()
}

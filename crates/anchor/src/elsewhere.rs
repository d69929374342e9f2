//! Searches other files for code that was moved out of its file.

use memchr::memmem;

use crate::alignment::Alignment;
use crate::block::{Block, Candidate, choose};
use crate::excerpt::Excerpt;
use crate::lines::split;
use crate::place::OldCode;
use crate::placement::{Placement, State};
use crate::text_pair::settle;

/// A changed file that may contain code moved out of another file.
#[derive(Clone, Copy, Debug)]
pub struct CandidateFile<'a> {
    /// The old text; `None` for a file that did not exist.
    pub old: Option<&'a [u8]>,
    /// The current text.
    pub new: &'a [u8],
}

/// Searches the lines added to other files for code that was moved out of its file.
///
/// Returns the index of the file and the placement, whose state is [`State::Moved`]; `None` unless
/// one position is clearly the best.
pub fn elsewhere(old: &OldCode<'_>, others: &[CandidateFile<'_>]) -> Option<(usize, Placement)> {
    with_block(old, |block| search(block, others, 0))
}

/// Searches other files like [`elsewhere`], for code that was moved together with a line around it.
///
/// Other lines may stand in the place of such code.
pub fn elsewhere_with_context(
    old: &OldCode<'_>,
    others: &[CandidateFile<'_>],
) -> Option<(usize, Placement)> {
    with_block(old, |block| search(block, others, 1))
}

/// Returns the line that [`elsewhere`] searches for, trimmed.
///
/// Files without this line can be skipped. `None` if the code has too little information.
pub fn distinctive_line<'a>(old: &OldCode<'a>) -> Option<&'a [u8]> {
    with_block(old, |block| Some(block.probe()?.1))
}

fn with_block<'a, T>(old: &OldCode<'a>, then: impl Fn(&Block<'_, 'a>) -> Option<T>) -> Option<T> {
    match *old {
        OldCode::Whole { text, start, end } => {
            let lines = split(text);
            let range = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
            let is_inside = range.0 <= range.1 && range.1 < lines.len();
            is_inside.then_some(())?;
            then(&Block { old: &lines, range, is_same_file: false })
        }
        OldCode::Excerpt { before, selection, after, start } => {
            let excerpt = Excerpt::new(before, selection, after, start);
            then(&excerpt.block()?)
        }
    }
}

fn search(
    block: &Block<'_, '_>,
    others: &[CandidateFile<'_>],
    least_context: usize,
) -> Option<(usize, Placement)> {
    let (_, text) = block.probe()?;
    let finder = memmem::Finder::new(text);
    let mut places: Vec<(usize, Candidate)> = Vec::new();
    for (index, other) in others.iter().enumerate() {
        if finder.find(other.new).is_none() {
            continue;
        }
        let (old, new) = (split(other.old.unwrap_or_default()), split(other.new));
        let alignment = Alignment::new(&old, &new);
        let found = block.candidates(&new, alignment.added());
        places.extend(found.into_iter().map(|place| (index, place)));
    }
    let (index, place) =
        choose(block, &places).filter(|(_, place)| place.context >= least_context)?;
    let new = split(others.get(*index)?.new);
    let hull = settle(block.old, block.range, &new, place)?;
    let found = Placement::at(State::Moved, hull.lines, hull.confidence).or_gone();
    found.lines.map(|_| (*index, found))
}

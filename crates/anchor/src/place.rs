//! Finds code in one text.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use crate::alignment::Alignment;
use crate::excerpt::Excerpt;
use crate::lines::split;
use crate::placement::{Placement, State};
use crate::text_pair::TextPair;

/// Finds the commented code in a text.
pub fn place(old: &OldCode<'_>, new: &[u8]) -> Placement {
    place_again(old, new, &mut LastDiffs::default())
}

/// Finds the commented code in a text like [`place`]. Texts that were compared before are not compared again.
pub fn place_again(old: &OldCode<'_>, new: &[u8], diffs: &mut LastDiffs) -> Placement {
    let found = match *old {
        OldCode::Whole { text, start, end } => place_whole((text, new), (start, end), diffs),
        OldCode::Excerpt { before, selection, after, start } => {
            Excerpt::new(before, selection, after, start).place(&split(new))
        }
    };
    found.or_gone()
}

fn place_whole(
    (text, new): (&[u8], &[u8]),
    (start, end): (u32, u32),
    diffs: &mut LastDiffs,
) -> Placement {
    let old = split(text);
    let Some((first, last)) = lines_within((start, end), old.len()) else {
        return Placement::UNVERIFIED;
    };
    if text == new {
        return Placement::at(State::Exact, (first, last), 1.0);
    }
    let lines = split(new);
    let alignment = diffs.get((text, &old), (new, &lines));
    TextPair::with(&old, &lines, alignment).place(first, last)
}

fn lines_within((start, end): (u32, u32), count: usize) -> Option<(usize, usize)> {
    let (first, last) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    (first <= last && last < count).then_some((first, last))
}

/// Two texts, to find several places in the second one.
pub struct Comparison<'t> {
    old: Vec<&'t [u8]>,
    new: Vec<&'t [u8]>,
    alignment: Rc<Alignment>,
}

impl<'t> Comparison<'t> {
    pub fn new(old: &'t [u8], new: &'t [u8]) -> Self {
        let (old, new) = (split(old), split(new));
        let alignment = Rc::new(Alignment::new(&old, &new));
        Self { old, new, alignment }
    }

    /// Finds lines of the first text, counted from 0, in the second one.
    pub fn place(&self, start: u32, end: u32) -> Placement {
        match lines_within((start, end), self.old.len()) {
            Some((first, last)) => {
                let pair = TextPair::with(&self.old, &self.new, self.alignment.clone());
                pair.place(first, last).or_gone()
            }
            None => Placement::UNVERIFIED,
        }
    }
}

/// The diffs of the texts that were compared last: many comments are about the same file.
#[derive(Debug, Default)]
pub struct LastDiffs(VecDeque<(u64, Rc<Alignment>)>);

/// Maximum number of diffs that are kept.
const MAX_DIFFS: usize = 4;

impl LastDiffs {
    fn get(&mut self, old: (&[u8], &[&[u8]]), new: (&[u8], &[&[u8]])) -> Rc<Alignment> {
        let mut hasher = DefaultHasher::new();
        (old.0, new.0).hash(&mut hasher);
        let key = hasher.finish();
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let alignment = Rc::new(Alignment::new(old.1, new.1));
        self.0.truncate(MAX_DIFFS - 1);
        self.0.push_front((key, alignment.clone()));
        alignment
    }
}

/// The available information about the code when the comment was written.
#[derive(Clone, Copy, Debug)]
pub enum OldCode<'a> {
    /// The complete old file, and the commented lines in it.
    Whole {
        /// The text of the file.
        text: &'a [u8],
        /// The first commented line, counted from 0.
        start: u32,
        /// The last commented line.
        end: u32,
    },
    /// The excerpt that a thread stores.
    Excerpt {
        /// The lines before the selection.
        before: &'a [String],
        /// The selected text, its lines joined with LF.
        selection: &'a str,
        /// The lines after the selection.
        after: &'a [String],
        /// The line at which the selection began, counted from 0.
        start: u32,
    },
}

//! Finds code in one text.

use crate::excerpt::Excerpt;
use crate::lines::split;
use crate::placement::{Placement, State};
use crate::text_pair::TextPair;

/// Finds the commented code in a text.
pub fn place(old: &OldCode<'_>, new: &[u8]) -> Placement {
    let found = match *old {
        OldCode::Whole { text, start, end } => place_whole(text, (start, end), new),
        OldCode::Excerpt { before, selection, after, start } => {
            Excerpt::new(before, selection, after, start).place(&split(new))
        }
    };
    found.or_gone()
}

fn place_whole(text: &[u8], (start, end): (u32, u32), new: &[u8]) -> Placement {
    let old = split(text);
    let (Ok(first), Ok(last)) = (usize::try_from(start), usize::try_from(end)) else {
        return Placement::UNVERIFIED;
    };
    if first > last || last >= old.len() {
        return Placement::UNVERIFIED;
    }
    if text == new {
        return Placement::at(State::Exact, (first, last), 1.0);
    }
    TextPair::new(&old, &split(new)).place(first, last)
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

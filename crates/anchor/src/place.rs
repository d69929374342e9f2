//! Answers where code stands in one text.

use crate::excerpt::Excerpt;
use crate::lines::split;
use crate::old::OldCode;
use crate::placement::{Placement, State};
use crate::whole::TextPair;

/// Says where the commented code stands in a text.
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

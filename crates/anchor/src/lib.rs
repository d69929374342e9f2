//! Finds where commented code is now.
//!
//! A comment belongs to some lines of a text as it was. [`place`] looks for them in the text as it is:
//! first by the difference of the two texts, then by the likeness of the lines that were changed, then by
//! their text among the lines that were added. [`elsewhere`] goes on in other files. Each answer carries
//! a [`State`] and a confidence; where the text gives no clear answer, the answer is [`State::Gone`],
//! because a wrong place is worse than none. [`words`] says what differs within a line.
//!
//! ```
//! use skein_anchor::{OldCode, State, place};
//!
//! let old = OldCode::Whole { text: b"fn a() {}\nfn b() {}\n", start: 1, end: 1 };
//! let found = place(&old, b"use std::fmt;\n\nfn a() {}\nfn b() {}\n");
//! assert_eq!((found.state, found.lines), (State::Shifted, Some((3, 3))));
//! ```
//!
//! # Limits
//!
//! - Lines are numbered from 0, and a range includes its last line.
//! - A line ends with LF or CRLF; which of the two does not matter, nor whether the last line has one.
//! - Nothing is known of the language. Of a line, the first 512 bytes are compared for likeness.
//! - Only the answer for one file and one moment is given. Following a rename is up to the caller.

mod alignment;
mod block;
mod elsewhere;
mod excerpt;
mod follow;
mod lines;
mod neighbours;
mod patch;
mod place;
mod placement;
mod range;
mod rewrite;
mod similarity;
mod split_lines;
mod text_pair;
mod word_diff;

pub use elsewhere::{CandidateFile, elsewhere, telling_line};
pub use follow::{FileChange, Followed, Next, Spot, Steps, Trail, follow};
pub use patch::apply_patch;
pub use place::{OldCode, place};
pub use placement::{Placement, State};
pub use word_diff::words;

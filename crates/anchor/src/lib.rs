//! Finds where commented code is now.
//!
//! A comment refers to lines of an old text. [`place`] searches for them in the current text: first
//! with a diff of the two texts, then by similarity to the changed lines, then by exact text among
//! the added lines. Lines that are not recognised are where other lines stand in their place, as
//! the diff says. [`elsewhere`] searches other files. Each result has a [`State`] and a confidence;
//! code that was deleted, or moved to a position that is ambiguous, is [`State::Gone`].
//! [`words`] returns the differences within a line.
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
//! - Lines end with LF or CRLF; the kind of line ending, and one at the end of the text, do not matter.
//! - The syntax of the language is ignored. Only the first 512 bytes of a line are compared for similarity.
//! - Renames are not detected; that is up to the caller.

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
mod replaced;
mod rewrite;
mod similarity;
mod split_lines;
mod text_pair;
mod word_diff;

pub use elsewhere::{CandidateFile, distinctive_line, elsewhere, elsewhere_with_context};
pub use follow::{FileChange, Followed, Next, Spot, Steps, Trail, follow};
pub use patch::apply_patch;
pub use place::{Comparison, LastDiffs, OldCode, place, place_again};
pub use placement::{Placement, State};
pub use word_diff::words;

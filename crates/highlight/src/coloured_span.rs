//! A coloured part of a line.

use std::ops::Range;

use super::Class;

/// A coloured part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredSpan {
    pub class: Class,
    /// The byte range in the line, on character boundaries.
    pub range: Range<usize>,
}

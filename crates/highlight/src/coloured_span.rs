//! A coloured part of a line.

use std::ops::Range;

use super::Class;

/// A coloured part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredSpan {
    pub class: Class,
    /// The bytes of the line, from one character's beginning to another's.
    pub range: Range<usize>,
}

//! The lines that a review thread is about.

use serde::Serialize;
use skein_format::review;

/// What is under review.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewTarget {
    /// The file, relative to the workspace.
    pub path: String,
    /// The range, counted from 0; `None` for the whole file.
    pub range: Option<TargetRange>,
}

/// A range of characters, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct TargetRange {
    pub start_line: u32,
    pub start_character: u32,
    pub end_line: u32,
    pub end_character: u32,
}

impl From<review::Range> for TargetRange {
    fn from(range: review::Range) -> Self {
        let review::Range { start_line, start_character, end_line, end_character } = range;
        Self { start_line, start_character, end_line, end_character }
    }
}

impl From<TargetRange> for review::Range {
    fn from(range: TargetRange) -> Self {
        let TargetRange { start_line, start_character, end_line, end_character } = range;
        Self { start_line, start_character, end_line, end_character }
    }
}

//! Where commented code is now.

use serde::Serialize;

/// Where commented code is now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacementView {
    /// `exact`, `shifted` (other line numbers), `edited` (the text changed), `moved` (elsewhere, perhaps in another file),
    /// `gone`, `not_checked_out` (the file is in the index only, where the lines are), or `unverified` (nothing to check
    /// against).
    pub state: &'static str,
    /// The file, relative to the workspace.
    pub path: String,
    /// The first line, counted from 0.
    pub start_line: Option<u32>,
    /// The last line, counted from 0.
    pub end_line: Option<u32>,
    /// From 0 to 1.
    pub confidence: f32,
}

impl PlacementView {
    /// The state of code that is in the index and not checked out, as in a sparse checkout.
    pub const NOT_CHECKED_OUT: &'static str = "not_checked_out";

    /// Returns the place counted from 1: `src/a.rs:12-14`.
    pub fn at(&self) -> String {
        match (self.start_line, self.end_line) {
            (Some(start), Some(end)) if start == end => format!("{}:{}", self.path, start + 1),
            (Some(start), Some(end)) => format!("{}:{}-{}", self.path, start + 1, end + 1),
            _ => self.path.clone(),
        }
    }
}

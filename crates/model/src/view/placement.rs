//! The current location of commented code.

use serde::Serialize;

use crate::word_enum;

word_enum! {
    /// The state of the location of commented code.
    PlacementState {
        /// The same text on the same lines.
        Exact = "exact",
        /// The same text on other lines.
        Shifted = "shifted",
        /// The text was changed.
        Edited = "edited",
        /// The text was rewritten: other lines stand in its place.
        Replaced = "replaced",
        /// The text was moved, perhaps to another file.
        Moved = "moved",
        /// The code no longer exists.
        Gone = "gone",
        /// The code is in the index and not checked out, as in a sparse checkout.
        NotCheckedOut = "not_checked_out",
        /// There is nothing to check the location against.
        Unverified = "unverified",
    }
}

impl PlacementState {
    /// Returns whether the commented text is not recognised anywhere, not even edited.
    pub fn is_unrecognised(self) -> bool {
        matches!(self, Self::Gone | Self::Replaced)
    }

    /// Returns whether the text at the location differs from the commented text.
    pub fn is_changed(self) -> bool {
        matches!(self, Self::Edited | Self::Replaced)
    }
}

/// The current location of commented code.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacementView {
    /// The state of the location.
    pub state: PlacementState,
    /// The file, relative to the workspace.
    pub path: String,
    /// The first line, counted from 0.
    pub start_line: Option<u32>,
    /// The last line, counted from 0.
    pub end_line: Option<u32>,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
}

impl PlacementView {
    /// Returns how certain the location of changed code is: `85 % sure`.
    pub fn certainty(&self) -> Option<String> {
        let is_shown = self.state.is_changed();
        is_shown.then(|| format!("{:.0} % sure", self.confidence * 100.0))
    }

    /// Returns the location counted from 1: `src/a.rs:12-14`.
    pub fn at(&self) -> String {
        match (self.start_line, self.end_line) {
            (Some(start), Some(end)) if start == end => format!("{}:{}", self.path, start + 1),
            (Some(start), Some(end)) => format!("{}:{}-{}", self.path, start + 1, end + 1),
            _ => self.path.clone(),
        }
    }
}

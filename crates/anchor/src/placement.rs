//! The result of placing code.

use std::fmt;

/// Where commented code is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// How the code changed.
    pub state: State,
    /// The first and the last line, counted from 0; `None` for [`State::Gone`] and
    /// [`State::Unverified`].
    pub lines: Option<(u32, u32)>,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
}

/// How commented code changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The same text on the same lines.
    Exact,
    /// The same text, further up or down.
    Shifted,
    /// The lines are there, but their text changed.
    Edited,
    /// Other lines stand in their place, and none of them is recognised.
    Replaced,
    /// The text was moved to another position or file.
    Moved,
    /// No longer there.
    Gone,
    /// There is nothing to search for.
    Unverified,
}

impl State {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Exact,
        Self::Shifted,
        Self::Edited,
        Self::Replaced,
        Self::Moved,
        Self::Gone,
        Self::Unverified,
    ];

    /// Returns the name of the state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Shifted => "shifted",
            Self::Edited => "edited",
            Self::Replaced => "replaced",
            Self::Moved => "moved",
            Self::Gone => "gone",
            Self::Unverified => "unverified",
        }
    }
}

/// The minimum confidence of a position that is shown.
///
/// In the histories of the benchmark, one in five positions below this limit is wrong.
pub(crate) const MIN_CONFIDENCE: f32 = 0.8;

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Placement {
    /// The result if there is nothing to search for.
    pub(crate) const UNVERIFIED: Self =
        Self { state: State::Unverified, lines: None, confidence: 0.0 };

    /// Returns the result for code that no longer exists.
    pub(crate) fn gone(confidence: f32) -> Self {
        Self { state: State::Gone, lines: None, confidence }
    }

    /// Returns [`State::Gone`] if the confidence is too low to show the position.
    ///
    /// What stands in the place of replaced lines is there, however large it is.
    pub(crate) fn or_gone(self) -> Self {
        let is_unsure = self.lines.is_some() && self.confidence < MIN_CONFIDENCE;
        match self.state {
            State::Replaced => self,
            _ if is_unsure => Self::gone(1.0 - self.confidence),
            _ => self,
        }
    }

    /// Returns the result for the lines from `first` to `last`.
    pub(crate) fn at(state: State, (first, last): (usize, usize), confidence: f32) -> Self {
        match (u32::try_from(first), u32::try_from(last)) {
            (Ok(first), Ok(last)) => Self { state, lines: Some((first, last)), confidence },
            _ => Self::UNVERIFIED,
        }
    }
}

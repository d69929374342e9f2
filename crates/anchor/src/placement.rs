//! The answer.

use std::fmt;

/// Where commented code is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// What became of the code.
    pub state: State,
    /// The first and the last line, counted from 0; none when the code is gone or nothing is known.
    pub lines: Option<(u32, u32)>,
    /// How sure the answer is, from 0 to 1.
    pub confidence: f32,
}

/// What became of commented code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The same text on the same lines.
    Exact,
    /// The same text, further up or down.
    Shifted,
    /// The same lines with another text.
    Edited,
    /// The same text in another place or another file.
    Moved,
    /// No longer there.
    Gone,
    /// Nothing to look for.
    Unverified,
}

impl State {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Shifted => "shifted",
            Self::Edited => "edited",
            Self::Moved => "moved",
            Self::Gone => "gone",
            Self::Unverified => "unverified",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Placement {
    /// The answer when there is nothing to look for.
    pub(crate) const UNVERIFIED: Self =
        Self { state: State::Unverified, lines: None, confidence: 0.0 };

    /// The answer when the code is no longer there.
    pub(crate) fn gone(confidence: f32) -> Self {
        Self { state: State::Gone, lines: None, confidence }
    }

    /// Returns the answer, or that the code is gone when the place is not sure enough to be shown.
    ///
    /// Of the places below this bound one in five is wrong in the histories that the benchmark reads.
    pub(crate) fn or_gone(self) -> Self {
        const MIN_CONFIDENCE: f32 = 0.8;
        let is_unsure = self.lines.is_some() && self.confidence < MIN_CONFIDENCE;
        if is_unsure { Self::gone(1.0 - self.confidence) } else { self }
    }

    /// The answer for lines from `first` to `last`.
    pub(crate) fn at(state: State, (first, last): (usize, usize), confidence: f32) -> Self {
        match (u32::try_from(first), u32::try_from(last)) {
            (Ok(first), Ok(last)) => Self { state, lines: Some((first, last)), confidence },
            _ => Self::UNVERIFIED,
        }
    }
}

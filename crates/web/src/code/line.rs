//! A line of one or both sides of a comparison.

use std::borrow::Cow;

/// Which sides a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Both.
    Context,
    /// The new one.
    Added,
    /// The old one.
    Removed,
}

impl Kind {
    /// Returns the class of its row.
    pub(crate) fn css(self) -> &'static str {
        match self {
            Self::Context => "",
            Self::Added => "add",
            Self::Removed => "del",
        }
    }
}

/// A line; numbers are counted from 0.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) kind: Kind,
    pub(crate) old: Option<u32>,
    pub(crate) new: Option<u32>,
    pub(crate) text: Cow<'a, str>,
    /// The heading that git gives to the changed place that starts here.
    pub(crate) section: Option<&'a str>,
}

//! The role of a text in a thread.

/// The role of a text in a thread; it determines the weight of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextRole {
    Title,
    /// A tag, path, branch, id, commit, author or project.
    Label,
    /// Everything else: comments, summaries, steps, code, patches.
    Body,
}

impl TextRole {
    /// Returns the weight of a match, relative to the body.
    pub fn weight(self) -> f32 {
        match self {
            Self::Title => 4.0,
            Self::Label => 3.0,
            Self::Body => 1.0,
        }
    }

    /// Returns the maximum length that is counted, in bytes.
    pub(crate) fn max_len(self) -> u32 {
        match self {
            Self::Title | Self::Label => u16::MAX.into(),
            Self::Body => u32::MAX,
        }
    }

    /// Returns the element of this role.
    pub(crate) fn of<T>(self, all: &mut [T; 3]) -> &mut T {
        let [title, label, body] = all;
        match self {
            Self::Title => title,
            Self::Label => label,
            Self::Body => body,
        }
    }
}

//! The sorts of text in a thread.

/// What a value of a thread is, which decides how much a match in it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// What the thread is called.
    Title,
    /// A name that was given to it or that it is about: tag, path, branch, id, commit, author, project.
    Label,
    /// All else: comments, summaries, steps, code, patches.
    Body,
}

impl Field {
    /// Every field, in the order of its number.
    pub const ALL: [Self; 3] = [Self::Title, Self::Label, Self::Body];

    /// Returns how many times as much as a match in the body a match here counts.
    pub fn weight(self) -> f32 {
        match self {
            Self::Title => 4.0,
            Self::Label => 3.0,
            Self::Body => 1.0,
        }
    }

    /// Returns the place of the field in [`Field::ALL`], and in every array with an entry per field.
    pub fn number(self) -> usize {
        match self {
            Self::Title => 0,
            Self::Label => 1,
            Self::Body => 2,
        }
    }

    /// Returns the most bytes of the field that are counted.
    pub(crate) fn longest(self) -> u32 {
        match self {
            Self::Title | Self::Label => u16::MAX.into(),
            Self::Body => u32::MAX,
        }
    }

    /// Returns the entry of this field.
    pub(crate) fn of<T>(self, all: &mut [T; 3]) -> &mut T {
        let [title, label, body] = all;
        match self {
            Self::Title => title,
            Self::Label => label,
            Self::Body => body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_of_all() {
        for (number, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field.number(), number);
            assert_eq!(*field.of(&mut [0, 1, 2]), number);
        }
    }
}

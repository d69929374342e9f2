//! The name of a commit.

use std::fmt::{self, Display, Formatter};

use crate::object_id::ObjectId;

/// The full id of a commit, in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(ObjectId);

impl CommitId {
    /// Returns `text` as an id when it is a full SHA-1 or SHA-256 one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        ObjectId::parse(text).map(Self)
    }

    /// Returns all digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the first seven digits, which is how git shows an id to people.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl Display for CommitId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

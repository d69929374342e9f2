//! The name of a tree.

use std::fmt::{self, Display, Formatter};

use crate::object_id::ObjectId;

/// The full id of a tree, in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(ObjectId);

impl TreeId {
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

    /// Returns the id without what it is an id of.
    #[must_use]
    pub fn object(&self) -> &ObjectId {
        &self.0
    }
}

impl Display for TreeId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

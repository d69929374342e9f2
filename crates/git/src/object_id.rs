//! The ids of objects and commits.

use std::fmt::{self, Display, Formatter};

/// The full id of an object of any type, in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(String);

impl ObjectId {
    /// Returns `text` as an id when it is a full SHA-1 or SHA-256 one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_full = matches!(text.len(), 40 | 64);
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (is_full && is_hex).then(|| Self(text.to_owned()))
    }

    /// Returns all digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first seven digits, which is how git shows an id to people.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }
}

impl Display for ObjectId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The full id of a commit, in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(ObjectId);

impl CommitId {
    /// Returns `text` as an id when it is a full SHA-1 or SHA-256 one.
    pub fn parse(text: &str) -> Option<Self> {
        ObjectId::parse(text).map(Self)
    }

    /// Returns all digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the first seven digits, which is how git shows an id to people.
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl Display for CommitId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_id_is_accepted() {
        let sha1 = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(ObjectId::parse(sha1).as_ref().map(ObjectId::short), Some("0123456"));
        assert!(ObjectId::parse(&"a".repeat(64)).is_some());
        assert_eq!(ObjectId::parse("0123456"), None);
        assert_eq!(ObjectId::parse(&"A".repeat(40)), None);
        assert_eq!(ObjectId::parse(&"-".repeat(40)), None);
    }
}

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The identity of a document's bytes: their SHA-256.
///
/// Two files with the same bytes have the same revision, regardless of times and inodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision([u8; 32]);

impl Revision {
    /// Returns the revision of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Revision;

    #[test]
    fn is_lowercase_sha256() {
        assert_eq!(
            Revision::from_bytes(b"").to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            format!("{:?}", Revision::from_bytes(b"")),
            Revision::from_bytes(b"").to_string()
        );
        assert_ne!(Revision::from_bytes(b"a"), Revision::from_bytes(b"b"));
    }
}

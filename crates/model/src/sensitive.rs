use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use skein_format::redact::redact;

/// A text that may contain a secret; it is displayed without it.
///
/// Redaction is slower than reading the text, so it is done on display.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sensitive(String);

impl Sensitive {
    /// Returns the text without secrets.
    pub fn redacted(&self) -> Cow<'_, str> {
        redact(&self.0)
    }

    /// Returns the text with its secrets, for comparisons.
    pub fn unredacted(&self) -> &str {
        &self.0
    }
}

/// Serialises a text without its secrets, for fields that the program needs unredacted.
pub fn serialize_shown<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&redact(text))
}

impl From<String> for Sensitive {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for Sensitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.redacted())
    }
}

impl fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.redacted(), f)
    }
}

impl Serialize for Sensitive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.redacted())
    }
}

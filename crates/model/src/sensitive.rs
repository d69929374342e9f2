use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use skein_format::redact::redact;

/// A text that may hold a secret; whatever is shown of it does not.
///
/// Redaction takes longer than reading the text, so it is done when the text is shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sensitive(String);

impl Sensitive {
    /// Returns the text without secrets.
    pub fn redacted(&self) -> Cow<'_, str> {
        redact(&self.0)
    }

    /// Returns the text as it is, to compare it with what was asked for.
    pub fn unredacted(&self) -> &str {
        &self.0
    }
}

/// Serialises a text without its secrets, where the program itself needs the text as it is.
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

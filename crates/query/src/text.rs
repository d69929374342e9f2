use std::borrow::Cow;

use skein_format::redact::redact;

use crate::field::TextRole;

/// A text of a thread.
#[derive(Clone, Copy, Debug)]
pub struct SearchText<'a> {
    pub role: TextRole,
    /// The text, with its secrets.
    pub text: &'a str,
    /// Whether secrets are removed before the text is searched.
    pub guarded: bool,
}

impl<'a> SearchText<'a> {
    /// Returns the text that is searched and shown.
    pub fn shown(&self) -> Cow<'a, str> {
        if self.guarded { redact(self.text) } else { self.text.into() }
    }

    /// Adds the length of the text to that of its role, in bytes: counting words would be slower.
    pub(crate) fn measure(&self, lengths: &mut [u32; 3]) {
        let bytes = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let length = self.role.of(lengths);
        *length = length.saturating_add(bytes).min(self.role.max_len());
    }
}

impl<'a> From<(TextRole, &'a str)> for SearchText<'a> {
    fn from((role, text): (TextRole, &'a str)) -> Self {
        Self { role, text, guarded: false }
    }
}

impl<'a> From<&(TextRole, &'a str)> for SearchText<'a> {
    fn from(value: &(TextRole, &'a str)) -> Self {
        Self::from(*value)
    }
}

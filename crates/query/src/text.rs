use std::borrow::Cow;

use skein_format::redact::redact;

use crate::field::Field;

/// A text of a thread that can be found.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// What it is to the thread.
    pub field: Field,
    /// What it says, secrets included.
    pub text: &'a str,
    /// Whether secrets are to be taken out of it before anything is found in it.
    pub guarded: bool,
}

impl<'a> Text<'a> {
    /// Returns what can be found of the text.
    pub fn shown(&self) -> Cow<'a, str> {
        if self.guarded { redact(self.text) } else { self.text.into() }
    }

    /// Adds how much the text is to its field: its bytes, which are known without cutting it into words.
    pub(crate) fn measure(&self, lengths: &mut [u32; 3]) {
        let bytes = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let length = self.field.of(lengths);
        *length = length.saturating_add(bytes).min(self.field.longest());
    }
}

impl<'a> From<(Field, &'a str)> for Text<'a> {
    fn from((field, text): (Field, &'a str)) -> Self {
        Self { field, text, guarded: false }
    }
}

impl<'a> From<&(Field, &'a str)> for Text<'a> {
    fn from(value: &(Field, &'a str)) -> Self {
        Self::from(*value)
    }
}

//! Texts that are searched often.

use crate::field::TextRole;
use crate::text::SearchText;

/// The texts of a thread without their secrets, with ASCII in lower case.
///
/// Preparing takes longer than matching.
#[derive(Debug)]
pub struct PreparedTexts {
    /// All texts, concatenated.
    all: Box<str>,
    /// The role of each text, and its end in `all`.
    ends: Box<[(TextRole, usize)]>,
    pub(crate) lengths: [u32; 3],
}

impl PreparedTexts {
    /// Prepares texts.
    pub fn new<'a>(texts: impl IntoIterator<Item = SearchText<'a>>) -> Self {
        let (mut all, mut ends, mut lengths) = (String::new(), Vec::new(), [0; 3]);
        for text in texts {
            text.measure(&mut lengths);
            all.push_str(&text.shown());
            ends.push((text.role, all.len()));
        }
        all.make_ascii_lowercase();
        Self { all: all.into(), ends: ends.into(), lengths }
    }

    /// Returns the size of the texts in bytes.
    pub fn size(&self) -> usize {
        self.all.len()
    }

    /// Returns all texts, concatenated without a separator.
    pub(crate) fn all(&self) -> &str {
        &self.all
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (TextRole, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(role, end)| {
            let text = self.all.get(start..end).unwrap_or_default();
            start = end;
            (role, text)
        })
    }
}

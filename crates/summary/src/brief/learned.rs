//! Notes of an agent in members that the format does not define.

use serde::Serialize;
use skein_catalog::unknown_fields::others;
use skein_format::checkpoint::CheckpointDoc;
use skein_model::view::{UnknownField, UnknownValue};

/// The names of members in which agents write notes for the next session.
const NAMES: &[&str] = &[
    "learnings",
    "decisions",
    "key_decisions",
    "constraints",
    "context_notes",
    "issues_encountered",
    "worker.error",
];

/// The texts of one of these members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExtraNotes {
    /// The name of the member.
    pub name: String,
    /// Its texts.
    pub texts: Vec<String>,
    /// The number of texts.
    pub count: usize,
}

/// Returns the notes, in the order of the file.
pub(super) fn learned(doc: &CheckpointDoc) -> Vec<ExtraNotes> {
    let known = others(doc).into_iter().filter(|other| NAMES.contains(&other.name.as_str()));
    let texts = known.map(|UnknownField { name, value }| match value {
        UnknownValue::Text(text) => (name, vec![text]),
        UnknownValue::List(list) => (name, list),
    });
    texts.map(|(name, texts)| ExtraNotes { name, count: texts.len(), texts }).collect()
}

impl ExtraNotes {
    /// Returns the name as a heading.
    pub(super) fn heading(&self) -> String {
        let words = self.name.replace(['_', '.'], " ");
        let mut chars = words.chars();
        let first = chars.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(chars).collect()
    }
}

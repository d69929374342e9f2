//! What was learned on the way, for which the format has no place.

use serde::Serialize;
use skein_catalog::unknown_fields::others;
use skein_format::checkpoint::CheckpointDoc;
use skein_model::view::{UnknownField, UnknownValue};

/// The names under which agents write down what the next one should know.
const NAMES: &[&str] = &[
    "learnings",
    "decisions",
    "key_decisions",
    "constraints",
    "context_notes",
    "issues_encountered",
    "worker.error",
];

/// The texts of a checkpoint under one of these names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExtraNotes {
    /// The name.
    pub name: String,
    /// What it says.
    pub texts: Vec<String>,
    /// The number of texts.
    pub count: usize,
}

/// Returns what was learned, in the order of the file.
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

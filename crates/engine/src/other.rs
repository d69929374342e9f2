//! What a checkpoint says besides what the format knows, without secrets.

use serde::Serialize;
use skein_format::checkpoint::{self, CheckpointDoc};

use crate::read::checkpoint::clean;

/// Longer names, and longer values that are neither texts nor lists of texts, are cut.
const NAME: usize = 100;
const JSON: usize = 2000;

/// A member that the format does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Other {
    /// Its name, after that of the object that it is in: `decisions`, `git.pr`.
    pub name: String,
    /// What it says.
    pub value: OtherValue,
}

/// What a member says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OtherValue {
    /// A text, or something else as one.
    Text(String),
    /// Texts.
    List(Vec<String>),
}

/// Returns what the checkpoint says under names that the format does not know.
pub(crate) fn others(doc: &CheckpointDoc) -> Vec<Other> {
    let made = |other: checkpoint::Other| Other {
        name: cut(clean(other.name), NAME),
        value: match other.value {
            checkpoint::OtherValue::Text(text) => OtherValue::Text(clean(text)),
            checkpoint::OtherValue::List(list) => {
                OtherValue::List(list.into_iter().map(clean).collect())
            }
            checkpoint::OtherValue::Json(text) => OtherValue::Text(cut_json(text)),
        },
    };
    doc.others().into_iter().map(made).collect()
}

/// Takes secrets out of a value that is neither a text nor a list of texts, and cuts a long one.
pub(crate) fn cut_json(text: String) -> String {
    cut(clean(text), JSON)
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

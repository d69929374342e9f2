//! The parts of the protocol that the server uses.
//!
//! Parameters are read member by member: a client may send values that are newer than this server.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A position: the line counted from 0, and the column in units of the encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(crate) struct Position {
    #[serde(deserialize_with = "saturating")]
    pub(crate) line: u32,
    #[serde(deserialize_with = "saturating")]
    pub(crate) character: u32,
}

/// Reads a number; clients write very large ones for the end of a line or a text.
fn saturating<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = u64::deserialize(deserializer)?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A range without its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// A mark in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    pub(crate) range: Range,
    pub(crate) severity: u8,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) code: String,
    pub(crate) source: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_information: Vec<RelatedInformation>,
    /// The file of the thread, by which commands find it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<PathBuf>,
}

/// Shown as a problem.
pub(crate) const WARNING: u8 = 2;
/// Shown, and not a problem: agents and CI take errors and warnings for faults of the code.
pub(crate) const INFORMATION: u8 = 3;

/// A place that belongs to a diagnostic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RelatedInformation {
    pub(crate) location: Location,
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Location {
    pub(crate) uri: String,
    pub(crate) range: Range,
}

/// A command that the user can choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Command {
    pub(crate) title: String,
    pub(crate) command: &'static str,
    pub(crate) arguments: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CodeAction {
    pub(crate) title: String,
    pub(crate) kind: &'static str,
    pub(crate) command: Command,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CodeLens {
    pub(crate) range: Range,
    pub(crate) command: Command,
}

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEdit {
    pub(crate) range: Range,
    pub(crate) new_text: String,
}

/// Returns the member at a JSON pointer; none if it is missing or something else.
pub(crate) fn member<T: DeserializeOwned>(value: &Value, pointer: &str) -> Option<T> {
    T::deserialize(value.pointer(pointer)?).ok()
}

/// Returns a text at a JSON pointer.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// Returns whether the member at a JSON pointer is true.
pub(crate) fn is_set(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
}

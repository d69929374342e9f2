//! Parses a list of comments in JSON.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A comment in a list; the field names of other tools are accepted.
#[derive(Clone, Debug, Deserialize)]
pub struct CommentInput {
    /// The file.
    #[serde(alias = "path")]
    pub file: String,
    /// The first line, counted from 1; none for the whole file.
    #[serde(alias = "start_line", alias = "startLine")]
    pub line: Option<u32>,
    /// The last line; by default the first.
    #[serde(alias = "endLine")]
    pub end_line: Option<u32>,
    /// Markdown.
    #[serde(alias = "message", alias = "text", alias = "comment", default)]
    pub body: String,
    /// The text to replace the commented lines with.
    #[serde(alias = "suggest")]
    pub suggestion: Option<String>,
    /// A text that the first commented line must contain.
    pub expect: Option<String>,
    /// The author, for an import.
    pub author: Option<String>,
    /// The id in the tool that it was imported from.
    pub id: Option<String>,
    /// The rule that it violates.
    #[serde(alias = "rule_id", alias = "ruleId")]
    pub rule: Option<String>,
    /// Other fields.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

impl CommentInput {
    /// Returns a field that `add` does not use, such as a misspelt one.
    pub fn stray(&self) -> Option<&str> {
        let known = [("author", &self.author), ("id", &self.id), ("rule", &self.rule)];
        let known = known.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name);
        self.rest.keys().next().map(String::as_str).or(known)
    }

    /// Returns the first and the last line.
    pub fn lines(&self) -> Option<(u32, u32)> {
        self.line.map(|line| (line, self.end_line.unwrap_or(line)))
    }
}

/// Why a text is not a list of comments.
#[derive(Debug, thiserror::Error)]
pub enum ItemsError {
    #[error("invalid JSON: {reason}")]
    Json { reason: String },
    #[error("it is neither a list nor an object with a list `comments`")]
    Shape,
    #[error("comment {number}: {reason}")]
    Item { number: usize, reason: String },
}

/// Parses a list of comments, or an object with the list under `comments`.
pub fn items(text: &str) -> Result<Vec<CommentInput>, ItemsError> {
    let text = text.trim_start_matches('\u{feff}');
    let document: Value = serde_json::from_str(text)
        .map_err(|error| ItemsError::Json { reason: error.to_string() })?;
    from_value(document)
}

/// Converts a JSON value into a list of comments.
pub fn from_value(mut document: Value) -> Result<Vec<CommentInput>, ItemsError> {
    if let Some(list) = document.get_mut("comments") {
        document = list.take();
    }
    let Value::Array(list) = document else { return Err(ItemsError::Shape) };
    let read = |(number, item): (usize, Value)| {
        let reason = |reason: serde_json::Error| ItemsError::Item {
            number: number + 1,
            reason: reason.to_string(),
        };
        serde_json::from_value(item).map_err(reason)
    };
    list.into_iter().enumerate().map(read).collect()
}

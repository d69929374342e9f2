//! A finding of a tool, independent of the format of its document.

use serde::Serialize;

use super::fix::Fix;

/// A finding, which becomes a comment.
#[derive(Clone, Debug, Default)]
pub(super) struct Finding {
    /// Its number in the document, counted from 1.
    pub(super) number: usize,
    /// The path of the file, not a URI.
    pub(super) file: String,
    /// Whether a relative path is relative to the root of the reviews, and not to the current directory.
    pub(super) from_root: bool,
    pub(super) lines: Option<(u32, u32)>,
    /// Counted from 1.
    pub(super) column: Option<u32>,
    /// The author of the comment; none for the user who imports.
    pub(super) author: Option<String>,
    /// The program that reported it.
    pub(super) tool: String,
    pub(super) rule: Option<String>,
    /// The id of the finding in the tool.
    pub(super) key: Option<String>,
    /// The message, which is part of the identity of the finding.
    pub(super) message: String,
    /// Text after the message, such as the rule.
    pub(super) remark: String,
    pub(super) suggestion: Option<String>,
    pub(super) fix: Option<Fix>,
    pub(super) expect: Option<String>,
}

/// A finding that could not become a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its number in the document, counted from 1.
    pub number: usize,
    /// The rule, if the document contains it.
    pub rule: Option<String>,
    /// The file in the document; empty if there is none.
    pub path: String,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// The reason.
    #[serde(rename = "why")]
    pub reason: String,
}

impl Finding {
    pub(super) fn failed(&self, reason: String) -> Failed {
        Failed {
            number: self.number,
            rule: self.rule.clone(),
            path: self.file.clone(),
            line: self.lines.map(|(first, _)| first),
            reason,
        }
    }

    /// Returns the text of the comment.
    pub(super) fn body(&self) -> String {
        const MAX_BODY_LEN: usize = 20_000;
        let message = self.message.trim();
        let cut: String = message.chars().take(MAX_BODY_LEN).collect();
        let more = if cut.len() < message.len() { "\n\n(The message was cut here.)" } else { "" };
        match (message.is_empty(), self.remark.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("{cut}{more}"),
            (false, false) => format!("{cut}{more}\n\n{}", self.remark),
        }
    }
}

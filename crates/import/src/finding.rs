//! What a tool found, independent of the format of its document.

use serde::Serialize;

use super::fix::Fix;

/// A comment to be, as the document has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Finding {
    /// Its place in the document, counted from 1.
    pub(super) number: usize,
    /// The file, as a plain path.
    pub(super) file: String,
    /// Whether a relative path starts at the root of the reviews, and not in the current directory.
    pub(super) from_root: bool,
    pub(super) lines: Option<(u32, u32)>,
    /// Counted from 1.
    pub(super) column: Option<u32>,
    /// What to sign with; none for the one who imports.
    pub(super) author: Option<String>,
    /// The program that found it.
    pub(super) tool: String,
    pub(super) rule: Option<String>,
    /// By which name the finding is known where it comes from.
    pub(super) key: Option<String>,
    /// What is said, by which the finding is known again.
    pub(super) message: String,
    /// What is added to the message, such as the rule.
    pub(super) remark: String,
    pub(super) suggestion: Option<String>,
    pub(super) fix: Option<Fix>,
    pub(super) expect: Option<String>,
}

/// A finding that became no thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its place in the document, counted from 1.
    pub number: usize,
    /// The rule that found it, where the document names one.
    pub rule: Option<String>,
    /// The file, as the document names it; empty where it names none.
    pub path: String,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// What is wrong with it.
    pub why: String,
}

impl Finding {
    pub(super) fn failed(&self, why: String) -> Failed {
        Failed {
            number: self.number,
            rule: self.rule.clone(),
            path: self.file.clone(),
            line: self.lines.map(|(first, _)| first),
            why,
        }
    }

    /// Returns what the comment says.
    pub(super) fn body(&self) -> String {
        const MAX_BODY_LEN: usize = 20_000;
        let said = self.message.trim();
        let cut: String = said.chars().take(MAX_BODY_LEN).collect();
        let more = if cut.len() < said.len() { "\n\n(The message was cut here.)" } else { "" };
        match (said.is_empty(), self.remark.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("{cut}{more}"),
            (false, false) => format!("{cut}{more}\n\n{}", self.remark),
        }
    }
}

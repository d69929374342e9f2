//! The fields of the metadata block of a thread.

use serde::Serialize;

use crate::json::{self, Str};
use crate::path::WorkspacePath;
use crate::span::Span;
use crate::time::Time;

/// The status of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Not settled yet.
    Open,
    /// Settled.
    Resolved,
}

impl Status {
    /// Returns the value of `status`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
        }
    }
}

/// The commented range: lines and UTF-16 columns from 0, the end line included.
///
/// It is serialised as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The first line.
    pub start_line: u32,
    /// The first column.
    pub start_character: u32,
    /// The last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_character: u32,
}

/// The text that was commented on, with some lines around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The lines before.
    pub before: Vec<String>,
    /// The commented text, its lines joined by LF.
    pub selection: String,
    /// The lines after.
    pub after: Vec<String>,
}

/// The location of the text in git.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GitAnchor {
    /// The commit, branch or tag that the file was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_ref: Option<String>,
    /// The header of the hunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk_header: Option<String>,
}

/// Data for finding the commented text again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The text and the lines around it.
    pub context: Option<Context>,
    /// Its location in git.
    pub git: GitAnchor,
}

/// The fields of the metadata block; a missing or malformed one has its default.
#[derive(Clone, Debug)]
pub struct ReviewMetadata {
    /// Whether the version, the id and the path are valid.
    pub usable: bool,
    /// The id, if it is a string.
    pub id: Option<String>,
    /// The path of the file under review as written, if it is a string.
    pub path_text: Option<String>,
    /// The path, if it is safe.
    pub path: Option<WorkspacePath>,
    /// The range; none for a thread on the whole file.
    pub range: Option<Range>,
    /// Open, unless the value is `resolved`.
    pub status: Status,
    /// When the thread was started.
    pub created_at: Option<Time>,
    /// When it was last changed; if missing, when it was started.
    pub updated_at: Option<Time>,
    /// The location of the text in git.
    pub git: GitAnchor,
    pub(super) context: Option<ContextSpan>,
    /// Whether the file has a valid `updatedAt`.
    pub(super) has_updated_at: bool,
}

/// The locations of the texts of the anchor in git.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GitSpan {
    pub(super) base_ref: Option<Str>,
    pub(super) hunk_header: Option<Str>,
}

impl GitSpan {
    pub(super) fn anchor(&self, bytes: &[u8]) -> GitAnchor {
        GitAnchor {
            base_ref: self.base_ref.map(|text| text.to_text(bytes)),
            hunk_header: self.hunk_header.map(|text| text.to_text(bytes)),
        }
    }
}

/// The locations of the parts of the context.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContextSpan {
    pub(super) before: Span,
    pub(super) selection: Str,
    pub(super) after: Span,
}

impl ReviewMetadata {
    pub(super) fn unusable() -> Self {
        Self {
            usable: false,
            id: None,
            path_text: None,
            path: None,
            range: None,
            status: Status::Open,
            created_at: None,
            updated_at: None,
            git: GitAnchor::default(),
            context: None,
            has_updated_at: false,
        }
    }

    pub(super) fn context(&self, bytes: &[u8]) -> Option<Context> {
        let span = self.context?;
        Some(Context {
            before: strings(bytes, span.before),
            selection: span.selection.to_text(bytes),
            after: strings(bytes, span.after),
        })
    }
}

fn strings(bytes: &[u8], span: Span) -> Vec<String> {
    let mut found = Vec::new();
    json::for_each_element(bytes, span, |reader| {
        if let Some(text) = reader.string_or_skip()? {
            found.push(text.to_text(bytes));
        }
        Ok(())
    });
    found
}

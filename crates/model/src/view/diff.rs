//! The diff of a review.

use serde::Serialize;

use super::ThreadView;
use crate::word_enum;

/// The changes under review, with the threads on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    /// A description of the two sides.
    pub title: String,
    /// The files that differ, sorted by path.
    pub files: Vec<DiffFile>,
    /// The threads on those files, at the current location of their code.
    pub threads: Vec<ThreadView>,
    /// The submodules with changes or open threads of their own, which `files` and `threads` do not contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<SubmoduleSummary>,
    /// Whether the new side is the worktree, which is where threads are placed.
    #[serde(skip)]
    pub is_worktree: bool,
}

/// What a submodule has of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubmoduleSummary {
    /// Its path from the top of the worktree.
    pub path: String,
    /// Its directory.
    pub dir: String,
    /// Whether it has uncommitted changes, as far as git was asked.
    pub is_changed: bool,
    /// The number of open review threads in its store.
    pub open_threads: usize,
}

word_enum! {
    /// How a file changed.
    DiffStatus {
        Added = "added",
        Deleted = "deleted",
        Modified = "modified",
        Renamed = "renamed",
        Copied = "copied",
        TypeChanged = "type-changed",
    }
}

word_enum! {
    /// Which sides a line is on.
    DiffLineKind {
        Context = "context",
        Added = "added",
        Removed = "removed",
    }
}

word_enum! {
    /// What the text of a changed line does not show.
    LineMark {
        /// The line ends with a carriage return and a line feed, and other changed lines of the file do not.
        Crlf = "crlf",
        /// The file begins with a byte order mark.
        Bom = "bom",
        /// The file ends without a line feed.
        NoNewline = "no-newline",
    }
}

impl LineMark {
    /// Returns how a person is told.
    pub fn label(self) -> &'static str {
        match self {
            Self::Crlf => "CRLF",
            Self::Bom => "BOM",
            Self::NoNewline => "no line break",
        }
    }
}

/// The diff of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffFile {
    /// The path, relative to the workspace; for a deleted file the old path.
    pub path: String,
    /// Its old path, if it differs.
    pub old_path: Option<String>,
    /// How it changed.
    pub status: DiffStatus,
    /// Its old mode, such as `100644`, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_mode: Option<String>,
    /// Its new mode, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_mode: Option<String>,
    /// Whether its content is omitted.
    pub binary: bool,
    /// Whether the attributes of the repository disable its diff, although it is text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub diff_disabled: bool,
    /// The number of lines that are only on the new side.
    pub added: usize,
    /// The number of lines that are only on the old side.
    pub removed: usize,
    /// The hunks.
    pub hunks: Vec<DiffHunk>,
}

/// A hunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffHunk {
    /// The header line, as git writes it.
    pub header: String,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffLine {
    /// Which sides it is on.
    pub kind: DiffLineKind,
    /// Its number on the old side, counted from 0.
    pub old_line: Option<u32>,
    /// Its number on the new side, counted from 0.
    pub new_line: Option<u32>,
    /// The text, without the line ending.
    pub text: String,
    /// What the text does not show, if the line was changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<LineMark>,
}

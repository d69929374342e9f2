//! Changed files as they are shown.

use serde::Serialize;

use super::ThreadView;
use crate::word_enum;

/// The changes under review, with the threads on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    /// Says what is compared with what.
    pub title: String,
    /// The files that differ, by path.
    pub files: Vec<DiffFile>,
    /// The threads on those files, at the places where their code is now.
    pub threads: Vec<ThreadView>,
    /// Whether the new side is the files as they are, which is where threads are placed.
    #[serde(skip)]
    pub is_worktree: bool,
}

word_enum! {
    /// What happened to a file.
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

/// How a file differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffFile {
    /// The file, relative to the workspace; one that was deleted by its old name.
    pub path: String,
    /// Its old name, where that is another.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: DiffStatus,
    /// Whether its content is not shown.
    pub binary: bool,
    /// The number of lines that are only on the new side.
    pub added: usize,
    /// The number of lines that are only on the old side.
    pub removed: usize,
    /// The changed places.
    pub hunks: Vec<DiffHunk>,
}

/// A changed place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffHunk {
    /// The line above it, as git writes it.
    pub header: String,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// A line of a changed place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffLine {
    /// Which sides it is on.
    pub kind: DiffLineKind,
    /// Its number on the old side, counted from 0.
    pub old_line: Option<u32>,
    /// Its number on the new side, counted from 0.
    pub new_line: Option<u32>,
    /// The text, without its end.
    pub text: String,
}

//! The difference of one file between two versions.

use crate::hunk::Hunk;

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// The file exists on the new side only.
    Added,
    /// The file exists on the old side only.
    Deleted,
    /// Its content or its mode differs.
    Modified,
    /// Its path differs, and perhaps its content.
    Renamed,
    /// It is a copy of a file that still exists.
    Copied,
    /// Its type changed, for example from a file to a symbolic link.
    TypeChanged,
}

/// The difference of one file.
///
/// In paths, bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The path on the old side; `None` for a file that was added.
    pub old_path: Option<String>,
    /// The path on the new side; `None` for a file that was deleted.
    pub new_path: Option<String>,
    /// How the file changed.
    pub status: FileStatus,
    /// Whether it is shown without its content.
    pub binary: bool,
    /// Whether the attributes of the repository disable its diff, although it is text.
    pub is_diff_disabled: bool,
    /// The mode on the old side, such as `0o100644`, if it differs from the new side.
    pub old_mode: Option<u32>,
    /// The mode on the new side, if it differs from the old side.
    pub new_mode: Option<u32>,
    /// The hunks in order.
    ///
    /// If the type of the file changed, those that delete the old content are first.
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// Returns the path on the new side, or on the old one for a file that was deleted.
    pub fn path(&self) -> &str {
        self.new_path.as_deref().or(self.old_path.as_deref()).unwrap_or_default()
    }

    /// Returns whether it has content, and none of it is binary.
    pub(crate) fn is_text(&self) -> bool {
        let mut lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        !self.binary && !lines.any(|line| line.bytes.contains(&0))
    }

    /// Returns the hunk around a line of the new side, counted from 0.
    pub fn hunk_at_new_line(&self, line: u32) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.new_range().contains(&line))
    }

    /// Returns whether a line of the new side, counted from 0, is not on the old side.
    pub fn is_changed_line(&self, line: u32) -> bool {
        let hunk = self.hunk_at_new_line(line);
        hunk.is_some_and(|hunk| hunk.added_lines().any(|added| added == line))
    }
}

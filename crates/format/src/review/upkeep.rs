//! Checks what is easily forgotten when a thread is edited by hand.

use super::Layout;
use super::conflict;
use super::quoted::quoted;
use crate::diagnostic::{Code, DiagnosticList};
use crate::span::line_of;
use crate::time::Time;

/// Checks the text around the comments; `latest` is the time of the latest one.
pub(super) fn check(
    bytes: &[u8],
    layout: &Layout,
    latest: Option<Time>,
    findings: &mut DiagnosticList,
) {
    if layout.root.is_none() {
        return;
    }
    for conflict in conflict::find(bytes).list {
        let at = (bytes, conflict.whole.start);
        findings.push_at(Code::ReviewConflictText, at, "git left conflict text here");
    }
    if layout.lacks_final_newline(bytes) {
        let message = "the last line of the file has no end";
        findings.push(Code::ReviewNoFinalNewline, Some(line_of(bytes, bytes.len())), message);
    }
    let behind = layout.head.says_updated_at && latest > layout.head.updated_at;
    if let Some(latest) = behind.then(|| layout.behind(bytes)).flatten() {
        let message = format!("a comment is later than `updatedAt`: {latest}");
        findings.push(Code::ReviewUpdatedAtBehind, None, message);
    }
}

impl Layout {
    /// Returns whether the file ends in the middle of a comment's line.
    pub(super) fn lacks_final_newline(&self, bytes: &[u8]) -> bool {
        !self.comments.is_empty() && bytes.last() != Some(&b'\n')
    }

    /// Returns the time of the latest comment, if it is later than what the metadata says.
    pub(super) fn behind(&self, bytes: &[u8]) -> Option<Time> {
        let meant = self.comments.iter().zip(quoted(bytes, self)).filter(|(_, quoted)| !quoted);
        let latest = meant.filter_map(|(comment, _)| comment.time(bytes)).max();
        latest.filter(|latest| self.head.says_updated_at && Some(*latest) > self.head.updated_at)
    }
}

//! Checks for common mistakes in threads edited by hand.

use super::Layout;
use super::conflict;
use super::quoted::quoted;
use crate::diagnostic::{Code, DiagnosticList};
use crate::span::line_of;
use crate::time::Time;

/// Reports conflicts, a missing final line end and an outdated `updatedAt`; `latest` is the time of the latest comment.
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
    let is_outdated = layout.head.has_updated_at && latest > layout.head.updated_at;
    if let Some(latest) = is_outdated.then(|| layout.newer_comment(bytes)).flatten() {
        let message = format!("a comment is later than `updatedAt`: {latest}");
        findings.push(Code::ReviewUpdatedAtBehind, None, message);
    }
}

impl Layout {
    /// Returns whether the last line has no line end; a thread without comments is not checked.
    pub(super) fn lacks_final_newline(&self, bytes: &[u8]) -> bool {
        !self.comments.is_empty() && bytes.last() != Some(&b'\n')
    }

    /// Returns the time of the latest comment, if it is later than `updatedAt`.
    pub(super) fn newer_comment(&self, bytes: &[u8]) -> Option<Time> {
        let unquoted = self.comments.iter().zip(quoted(bytes, self)).filter(|(_, quoted)| !quoted);
        let latest = unquoted.filter_map(|(comment, _)| comment.time(bytes)).max();
        latest.filter(|latest| self.head.has_updated_at && Some(*latest) > self.head.updated_at)
    }
}

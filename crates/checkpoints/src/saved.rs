//! Says what was written.

use std::path::Path;

use serde::Serialize;
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, GitSummary, RowDetail};

/// A checkpoint that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SaveResult {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// `checkpoint`, `auto-checkpoint` or `handoff`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was done: `created` or `upgraded`.
    pub action: &'static str,
    /// Its title.
    pub title: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The state of the repository that it tells of.
    pub git: Option<GitSummary>,
    /// The agent's session that it belongs to.
    pub session_id: Option<String>,
    /// How many files it names.
    pub file_count: usize,
    /// How many steps it leaves to do.
    pub open_steps: usize,
    /// What was done besides, each in a line for the user.
    pub notes: Vec<String>,
    /// What is odd about it.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Returns what is to be said of a checkpoint.
pub(super) fn saved(
    path: &Path,
    doc: &CheckpointDoc,
    action: &'static str,
    notes: Vec<String>,
) -> SaveResult {
    let row = row(doc.to_bytes(), path, CheckpointFileKind::Thread);
    let (git, file_count, open_steps) = match row.detail {
        RowDetail::Checkpoint(detail) => (detail.git, detail.file_count, detail.open_steps),
        _ => (None, 0, 0),
    };
    SaveResult {
        id: row.id,
        file: path.display().to_string(),
        kind: redacted(doc.head().kind.as_str().to_owned()),
        action,
        title: row.title,
        updated_at: row.updated_at,
        git,
        session_id: doc.head().session_id.clone().map(redacted),
        file_count,
        open_steps,
        notes,
        diagnostics: row.diagnostics,
    }
}

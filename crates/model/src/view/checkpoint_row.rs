//! The row of a checkpoint in a list.

use serde::Serialize;
use skein_format::time::Time;

use super::ResumeLockHolder;
use crate::sensitive::Sensitive;

/// The row details of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointRow {
    /// The type of the checkpoint.
    #[serde(rename = "type")]
    pub kind: String,
    /// A summary of the work.
    pub summary: Option<Sensitive>,
    /// The working directory.
    pub cwd: Option<Sensitive>,
    /// The state of the repository.
    pub git: Option<GitSummary>,
    /// The worker.
    pub worker: Option<WorkerSummary>,
    /// Its tags.
    pub tags: Vec<Sensitive>,
    /// The number of files touched.
    pub file_count: usize,
    /// The number of open steps.
    pub open_steps: usize,
    /// The holder of the resume lock, unless it has expired.
    pub taken: Option<Box<ResumeLockHolder>>,
    /// Whether the work is finished: it has a final status, or all of its steps are closed.
    #[serde(skip)]
    pub is_over: bool,
    /// The agent's session; in JSON it is only part of [`super::CheckpointBody`].
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// The state of a repository.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct GitSummary {
    pub branch: Option<Sensitive>,
    pub remote_url: Option<String>,
    pub initial_commit: Option<String>,
    pub current_commit: Option<String>,
    pub dirty: Option<bool>,
}

/// The worker of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct WorkerSummary {
    pub id: Option<String>,
    pub skill: Option<String>,
    pub state: Option<String>,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
}

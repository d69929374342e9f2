//! What a list shows of a checkpoint.

use serde::Serialize;
use skein_format::time::Time;

use super::ResumeLockHolder;
use crate::sensitive::Sensitive;

/// What a checkpoint has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointRow {
    /// How it came about.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was done.
    pub summary: Option<Sensitive>,
    /// Where.
    pub cwd: Option<Sensitive>,
    /// The state of the repository.
    pub git: Option<GitSummary>,
    /// The worker.
    pub worker: Option<WorkerSummary>,
    /// Words to find it by.
    pub tags: Vec<Sensitive>,
    /// The number of files touched.
    pub file_count: usize,
    /// The number of steps left to do.
    pub open_steps: usize,
    /// The one that has taken the work, unless it has ended.
    pub taken: Option<Box<ResumeLockHolder>>,
    /// Whether nothing is left to do: the file says so, or all of its steps are closed.
    #[serde(skip)]
    pub is_over: bool,
    /// The agent's session; a view has it among what only one checkpoint shows.
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

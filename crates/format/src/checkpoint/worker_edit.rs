//! Changes the state of a worker, and sets its times.

use super::worker::{IllegalMove, WorkerState};
use super::{CheckpointDoc, CheckpointEditError};
use crate::json::{self, Dialect};
use crate::time::Time;

/// A requested change of a worker's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerMove {
    /// The new state.
    pub to: WorkerState,
    /// The error message, for the state `error`.
    pub error: Option<String>,
    /// Whether a move that the format does not allow is made anyway.
    pub force: bool,
}

/// Why a worker was not moved; the document is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The checkpoint has no worker.
    #[error("the checkpoint has no worker")]
    NoWorker,
    /// The format does not allow this move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The checkpoint cannot be edited.
    #[error(transparent)]
    Edit(#[from] CheckpointEditError),
}

impl CheckpointDoc {
    /// Moves the worker to another state.
    ///
    /// `started_at` is set when the worker leaves `idle` for the first time, `completed_at` when it is completed or failed.
    /// `completed_at` and the error are removed if they do not apply to the new state. A worker without a state is idle.
    pub fn move_worker(&mut self, wanted: &WorkerMove, now: Time) -> Result<(), MoveError> {
        self.writable()?;
        let worker = self.head().worker.clone().ok_or(MoveError::NoWorker)?;
        let from = worker.state.unwrap_or(WorkerState::Idle);
        if !wanted.force {
            from.check_move(&wanted.to)?;
        }
        let stamp = json::quote(&now.to_string());
        self.set_raw(&["worker", "state"], &json::quote(wanted.to.as_str()))?;
        if wanted.to != WorkerState::Idle && worker.started_at.is_none() {
            self.set_raw(&["worker", "started_at"], &stamp)?;
        }
        if matches!(wanted.to, WorkerState::Completed | WorkerState::Error) {
            self.set_raw(&["worker", "completed_at"], &stamp)?;
        } else {
            self.drop_worker_member("completed_at")?;
        }
        match (&wanted.error, &wanted.to) {
            (Some(error), _) => self.set_raw(&["worker", "error"], &json::quote(error))?,
            (None, WorkerState::Error) => {}
            (None, _) => self.drop_worker_member("error")?,
        }
        Ok(self.touch(now)?)
    }

    /// Removes a member of the worker; one that is null stays.
    fn drop_worker_member(&mut self, name: &str) -> Result<(), CheckpointEditError> {
        let path = ["worker", name];
        while self.value_at(&path).is_some_and(|value| !value.is_null()) {
            let root = self.layout.root.ok_or(CheckpointEditError::Unusable)?;
            json::remove(&mut self.bytes, root, Dialect::Json, &path)
                .map_err(|_| CheckpointEditError::Unusable)?;
            self.reload();
        }
        Ok(())
    }
}

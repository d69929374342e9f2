//! Moves the worker of a checkpoint, and stamps the times.

use super::worker::{IllegalMove, WorkerState};
use super::{CheckpointDoc, CheckpointEditError};
use crate::json::{self, Dialect};
use crate::time::Time;

/// Where a worker goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerMove {
    /// The state it goes to.
    pub to: WorkerState,
    /// What went wrong, for the state `error`.
    pub error: Option<String>,
    /// Whether it may make a move that the format does not have.
    pub force: bool,
}

/// Why a worker was not moved; the document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The checkpoint has no worker.
    #[error("the checkpoint has no worker")]
    NoWorker,
    /// The format does not have this move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The checkpoint cannot be edited.
    #[error(transparent)]
    Edit(#[from] CheckpointEditError),
}

impl CheckpointDoc {
    /// Moves the worker.
    ///
    /// `started_at` is set when the worker does something for the first time, `completed_at` when it is done or failed. A
    /// worker that is sent back to work has neither an end nor an error. One that says no state is idle.
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

//! Changes the state of a checkpoint's worker.

use serde::Serialize;
use skein_catalog::find::find_checkpoint;
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::{
    CheckpointEditError, CheckpointFileKind, MoveError, WorkerMove, WorkerState,
};
use skein_format::redact::redact;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, WorkerSummary};
use skein_workspace::Workspace;

use super::error::CheckpointError;
use super::{index_files, open, store_lock};

/// Options of a state change.
#[derive(Clone, Debug)]
pub struct MoveOptions {
    /// The new state, as named in the format.
    pub state: String,
    /// An error message.
    pub error: Option<String>,
    /// Whether transitions and states that the format does not define are allowed.
    pub force: bool,
}

/// The result of a state change.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerMoveResult {
    /// The id of the checkpoint.
    pub id: String,
    /// The file that it is in.
    pub file: String,
    /// The previous state.
    pub from: Option<String>,
    /// The new state.
    pub to: String,
    /// The worker.
    pub worker: Option<WorkerSummary>,
    /// Problems with updating the tables of checkpoints.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Changes the state of a worker along the transitions of the format, and sets its times. `text` identifies the checkpoint.
pub fn move_worker(
    workspace: &Workspace,
    text: &str,
    options: &MoveOptions,
) -> Result<WorkerMoveResult, CheckpointError> {
    let env = &workspace.env;
    let to = WorkerState::parse(&options.state);
    if matches!(to, WorkerState::Other(_)) && !options.force {
        return Err(CheckpointError::WorkerState { state: options.state.clone() });
    }
    let (form, path) = find_checkpoint(workspace, text)?;
    if form == CheckpointFileKind::Legacy {
        return Err(CheckpointEditError::Legacy.into());
    }
    let error = options.error.as_deref().map(|error| redact(error).into_owned());
    let wanted = WorkerMove { to, error, force: options.force };
    let guard = store_lock::existing(workspace)?;
    let from = std::cell::RefCell::new(None);
    let id = stem(&path);
    let doc = open::update(workspace, &guard, &path, &|doc| {
        let state = doc.head().worker.as_ref().and_then(|worker| worker.state.as_ref());
        *from.borrow_mut() = state.map(|state| state.as_str().to_owned());
        doc.move_worker(&wanted, env.clock.now()).map_err(|error| match error {
            MoveError::NoWorker => CheckpointError::NoWorker { id: id.clone() },
            MoveError::Illegal(error) => error.into(),
            MoveError::Edit(error) => error.into(),
        })
    })?;
    let row = row(doc.to_bytes(), &path, form);
    let worker = row.checkpoint().and_then(|detail| detail.worker.clone());
    drop(guard);
    let diagnostics = index_files::refresh_existing(workspace);
    Ok(WorkerMoveResult {
        id,
        file: path.display().to_string(),
        from: from.into_inner(),
        to: options.state.clone(),
        worker,
        diagnostics: diagnostics.into_iter().collect(),
    })
}

//! Moves the worker of a checkpoint.

use serde::Serialize;
use skein_catalog::find::find_checkpoint;
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::{
    CheckpointEditError, CheckpointFileKind, MoveError, WorkerMove, WorkerState,
};
use skein_format::redact::redact;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, WorkerSummary};
use skein_workspace::{Env, Workspace};

use super::error::CheckpointError;
use super::{index_files, open, store_lock};

/// How a worker is to be moved.
#[derive(Clone, Debug)]
pub struct MoveOptions {
    /// The state that it goes to, in the word of the format.
    pub state: String,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether it may make a move that the format does not have, and be in a state that it does not know.
    pub force: bool,
}

/// A worker that was moved.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerMoveResult {
    /// The checkpoint.
    pub id: String,
    /// The file that it is in.
    pub file: String,
    /// The state that the worker was in.
    pub from: Option<String>,
    /// The state that it is in.
    pub to: String,
    /// The worker.
    pub worker: Option<WorkerSummary>,
    /// What went wrong with the tables that list the checkpoints.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Moves the worker of the checkpoint that `text` means along the edges of the format, and stamps the times.
pub fn move_worker(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    options: &MoveOptions,
) -> Result<WorkerMoveResult, CheckpointError> {
    let to = WorkerState::parse(&options.state);
    if matches!(to, WorkerState::Other(_)) && !options.force {
        return Err(CheckpointError::WorkerState { state: options.state.clone() });
    }
    let (form, path) = find_checkpoint(workspace, env, text)?;
    if form == CheckpointFileKind::Legacy {
        return Err(CheckpointEditError::Legacy.into());
    }
    let error = options.error.as_deref().map(|error| redact(error).into_owned());
    let wanted = WorkerMove { to, error, force: options.force };
    let guard = store_lock::existing(env, &workspace.checkpoints)?;
    let from = std::cell::RefCell::new(None);
    let id = stem(&path);
    let doc = open::update(env, &workspace.checkpoints, &guard, &path, &|doc| {
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
    let diagnostics = index_files::refresh_existing(&workspace.checkpoints, env);
    Ok(WorkerMoveResult {
        id,
        file: path.display().to_string(),
        from: from.into_inner(),
        to: options.state.clone(),
        worker,
        diagnostics: diagnostics.into_iter().collect(),
    })
}

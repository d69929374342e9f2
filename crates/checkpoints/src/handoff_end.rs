//! Ends a handoff: the work is done, or given up.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::find::find_checkpoint;
use skein_catalog::handoff_pointer;
use skein_catalog::resume_lock::holder;
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::{
    CheckpointDoc, CheckpointEditError, CheckpointFileKind, CheckpointType, HandoffDoc,
};
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;
use skein_store::{Edit, lock, read};
use skein_workspace::update::Document;
use skein_workspace::{Env, Workspace};

use super::error::CheckpointError;
use super::select::{Offers, WorkPlace, WorkViewer};
use super::{acquire_lock, index_files, open, store_lock};

const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// What becomes of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffChange {
    /// The work is done.
    Done,
    /// The work is given up.
    Cancel,
    /// The work is open again.
    Reopen,
}

impl HandoffChange {
    fn status(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancel => "cancelled",
            Self::Reopen => "open",
        }
    }
}

/// A handoff that was changed.
#[derive(Clone, Debug, Serialize)]
pub struct HandoffChanged {
    /// The checkpoint.
    pub id: String,
    /// The file that has the status.
    pub file: String,
    /// What it is about.
    pub title: String,
    /// What was done: `done`, `cancelled`, `reopened` or `unchanged`.
    pub action: &'static str,
    /// The status in the file.
    pub status: &'static str,
    /// The number of its steps that are still open; they are listed no more.
    pub open_steps: usize,
    /// What went wrong with the tables.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Ends a handoff or opens it again: the one that `id` means, else the open one of this worktree, else of this branch.
///
/// The status is a member of the checkpoint's file. A legacy checkpoint is never written, so that the pointer to it says
/// what became of it.
pub fn change_handoff(
    workspace: &Workspace,
    env: &Env,
    id: Option<&str>,
    change: HandoffChange,
) -> Result<HandoffChanged, CheckpointError> {
    let pointer = handoff_pointer::read(workspace).0;
    let (form, path) = match id {
        Some(id) => find_checkpoint(workspace, env, id)?,
        None => default(workspace, env, pointer.as_ref())?,
    };
    let id = stem(&path);
    let leads_here = pointer.as_ref().is_some_and(|pointer| {
        handoff_pointer::target(&workspace.checkpoints, pointer)
            .is_some_and(|(_, target)| target == path)
    });
    let bytes = read(&path)?.bytes;
    let doc = CheckpointDoc::parse(bytes, &id, form).0;
    if doc.head().kind != CheckpointType::Handoff && !leads_here {
        return Err(CheckpointError::NotAHandoff { id });
    }
    let (written, changed) = match form {
        CheckpointFileKind::Legacy if !leads_here => return Err(CheckpointEditError::Legacy.into()),
        CheckpointFileKind::Legacy => set_in_pointer(workspace, env, change)?,
        CheckpointFileKind::Thread => {
            let guard = store_lock::existing(env, &workspace.checkpoints)?;
            let changed = std::cell::Cell::new(false);
            open::update(env, &workspace.checkpoints, &guard, &path, &|doc| {
                changed.set(is_other(doc, change));
                if changed.get() {
                    doc.set_text(&["status"], change.status(), env.clock.now())?;
                }
                Ok(())
            })?;
            (path.clone(), changed.get())
        }
    };
    if change != HandoffChange::Reopen {
        acquire_lock::end(workspace, env, &id)?;
    }
    let row = row(doc.to_bytes(), &path, form);
    let action = match change {
        _ if !changed => "unchanged",
        HandoffChange::Reopen => "reopened",
        change => change.status(),
    };
    Ok(HandoffChanged {
        title: row.title,
        file: written.display().to_string(),
        action,
        status: change.status(),
        open_steps: doc.head().open_steps,
        diagnostics: index_files::refresh_existing(&workspace.checkpoints, env)
            .into_iter()
            .collect(),
        id,
    })
}

/// Returns whether the file has another status; a handoff without one is open.
fn is_other(doc: &CheckpointDoc, change: HandoffChange) -> bool {
    let head = doc.head();
    match change {
        HandoffChange::Reopen => head.status.as_deref().is_some_and(|status| status != "open"),
        change => head.status.as_deref() != Some(change.status()),
    }
}

/// Finds the handoff that is meant where none is named: the one that the caller took, else the newest that is near.
fn default(
    workspace: &Workspace,
    env: &Env,
    pointer: Option<&HandoffDoc>,
) -> Result<CheckpointFile, CheckpointError> {
    let offers = Offers::all(workspace, env, pointer);
    let viewer = WorkViewer::new(workspace, env, None);
    let now = env.clock.now();
    let is_taken_by_caller =
        |id: &str| holder(&workspace.checkpoints, id, now).is_some_and(|holder| viewer.is(&holder));
    let own = offers.open_handoffs().find(|(offer, _)| is_taken_by_caller(&offer.id));
    let near = || offers.open_handoffs().find(|(_, origin)| origin.place != WorkPlace::Elsewhere);
    match own.or_else(near) {
        Some((offer, _)) => Ok((offer.form, offer.path.clone())),
        None => {
            let elsewhere = offers.open_handoffs().map(|(offer, _)| offer.id.clone()).collect();
            Err(CheckpointError::NoHandoff { elsewhere })
        }
    }
}

fn set_in_pointer(
    workspace: &Workspace,
    env: &Env,
    change: HandoffChange,
) -> Result<(PathBuf, bool), CheckpointError> {
    let path = handoff_pointer::path(&workspace.checkpoints);
    store_lock::inside(&workspace.checkpoints, &path)?;
    let guard = lock(&*env.fs, path.parent().unwrap_or(&path), LOCK_TIMEOUT)?;
    let document = Document {
        is_complete: &|bytes| HandoffDoc::parse(bytes.to_vec()).0.usable,
        ..Document::new(&guard, &path, 0o666)
    };
    let updated = document.update(env, |bytes| {
        let pointer = HandoffDoc::parse(bytes.unwrap_or_default().to_vec()).0;
        if pointer.status.as_deref() == Some(change.status()) {
            return Ok(Edit::Keep(false));
        }
        let bytes = pointer.with_status(change.status()).ok_or(CheckpointEditError::Unusable)?;
        Ok::<_, CheckpointError>(Edit::Write(bytes, true))
    })?;
    Ok((path, updated.value))
}

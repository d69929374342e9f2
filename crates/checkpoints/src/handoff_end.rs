//! Ends or reopens a handoff.

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
use skein_workspace::Workspace;
use skein_workspace::update::Document;

use super::error::CheckpointError;
use super::select::{Offers, WorkPlace, WorkViewer};
use super::{acquire_lock, index_files, open, store_lock};

const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The change requested for a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffChange {
    /// The work is done.
    Done,
    /// The work is given up.
    Cancel,
    /// The work is open again.
    Reopen,
}

skein_model::word_enum! {
    /// The status of a handoff, as it is written to its file.
    HandoffStatus {
        Open = "open",
        Done = "done",
        Cancelled = "cancelled",
    }
}

skein_model::word_enum! {
    /// The change that was made to a handoff.
    HandoffAction {
        Done = "done",
        Cancelled = "cancelled",
        Reopened = "reopened",
        Unchanged = "unchanged",
    }
}

impl HandoffChange {
    fn status(self) -> HandoffStatus {
        match self {
            Self::Done => HandoffStatus::Done,
            Self::Cancel => HandoffStatus::Cancelled,
            Self::Reopen => HandoffStatus::Open,
        }
    }
}

/// A handoff that was changed.
#[derive(Clone, Debug, Serialize)]
pub struct HandoffChanged {
    /// The id of the checkpoint.
    pub id: String,
    /// The file that contains the status.
    pub file: String,
    /// The title of the checkpoint.
    pub title: String,
    pub action: HandoffAction,
    /// The status in the file.
    pub status: HandoffStatus,
    /// The number of steps that are still open; they are no longer listed.
    pub open_steps: usize,
    /// Problems with updating the tables.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Ends or reopens a handoff: the one with this id, else the open one that the caller has taken, else the newest one of this worktree or
/// branch.
///
/// The status is a member of the checkpoint's file. A legacy checkpoint is never written; the pointer to it has the status instead.
pub fn change_handoff(
    workspace: &Workspace,
    id: Option<&str>,
    change: HandoffChange,
) -> Result<HandoffChanged, CheckpointError> {
    let env = &workspace.env;
    let pointer = handoff_pointer::read(workspace).0;
    let (form, path) = match id {
        Some(id) => find_checkpoint(workspace, id)?,
        None => default(workspace, pointer.as_ref())?,
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
    if change != HandoffChange::Reopen {
        WorkViewer::new(workspace, None).check_may_end(&id)?;
    }
    let (written, changed) = match form {
        CheckpointFileKind::Legacy if !leads_here => return Err(CheckpointEditError::Legacy.into()),
        CheckpointFileKind::Legacy => set_in_pointer(workspace, change)?,
        CheckpointFileKind::Thread => {
            let guard = store_lock::existing(workspace)?;
            let changed = std::cell::Cell::new(false);
            open::update(workspace, &guard, &path, &|doc| {
                changed.set(is_other(doc, change));
                if changed.get() {
                    doc.set_text(&["status"], change.status().as_str(), env.clock.now())?;
                }
                Ok(())
            })?;
            (path.clone(), changed.get())
        }
    };
    if change != HandoffChange::Reopen {
        acquire_lock::end(workspace, &id)?;
    }
    let row = row(doc.to_bytes(), &path, form);
    let action = match change {
        _ if !changed => HandoffAction::Unchanged,
        HandoffChange::Done => HandoffAction::Done,
        HandoffChange::Cancel => HandoffAction::Cancelled,
        HandoffChange::Reopen => HandoffAction::Reopened,
    };
    Ok(HandoffChanged {
        title: row.title,
        file: written.display().to_string(),
        action,
        status: change.status(),
        open_steps: doc.head().open_steps,
        diagnostics: index_files::refresh_existing(workspace).into_iter().collect(),
        id,
    })
}

/// Returns whether the status in the file differs; a handoff without one is open.
fn is_other(doc: &CheckpointDoc, change: HandoffChange) -> bool {
    let head = doc.head();
    match change {
        HandoffChange::Reopen => head.status.as_deref().is_some_and(|status| status != "open"),
        change => head.status.as_deref() != Some(change.status().as_str()),
    }
}

/// Finds the handoff if no id is given: the one that the caller has taken, else the newest one of this worktree or branch.
fn default(
    workspace: &Workspace,
    pointer: Option<&HandoffDoc>,
) -> Result<CheckpointFile, CheckpointError> {
    let offers = Offers::all(workspace, pointer);
    let viewer = WorkViewer::new(workspace, None);
    let now = workspace.env.clock.now();
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
    change: HandoffChange,
) -> Result<(PathBuf, bool), CheckpointError> {
    let path = handoff_pointer::path(&workspace.checkpoints);
    store_lock::inside(&workspace.checkpoints, &path)?;
    let guard = lock(&*workspace.env.fs, path.parent().unwrap_or(&path), LOCK_TIMEOUT)?;
    let document = Document {
        is_complete: &|bytes| HandoffDoc::parse(bytes.to_vec()).0.usable,
        ..Document::new(&guard, &path, 0o666)
    };
    let updated = document.update(&workspace.env, |bytes| {
        let pointer = HandoffDoc::parse(bytes.unwrap_or_default().to_vec()).0;
        if pointer.status.as_deref() == Some(change.status().as_str()) {
            return Ok(Edit::Keep(false));
        }
        let bytes =
            pointer.with_status(change.status().as_str()).ok_or(CheckpointEditError::Unusable)?;
        Ok::<_, CheckpointError>(Edit::Write(bytes, true))
    })?;
    Ok((path, updated.value))
}

use std::path::Path;

use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;
use skein_model::normalize_path::stem;
use skein_model::view::{
    CheckpointBody, ReviewBody, StepView, ThreadBody, ThreadRow, ThreadView, TouchedFile,
};
use skein_model::{Filter, Kind};
use skein_store::{ReadError, read_stable};
use skein_workspace::Workspace;
use skein_workspace::settings::Settings;

use crate::branches;
use crate::checkpoint_state::States;
use crate::drafts;
use crate::find::find;
use crate::leases::mark_claims;
use crate::location::{CheckpointFile, FindError, ThreadLocation, ThreadRef};
use crate::origins::mark_origins;
use crate::placement::Placer;
use crate::review_thread::ReviewThread;
use crate::rows::session::check_directories;
use crate::rows::{checkpoint, session, unreadable};
use crate::unknown_fields::others;

/// Why a thread cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Returns the thread that `text` identifies.
pub fn show(workspace: &Workspace, text: &str) -> Result<ThreadView, ShowError> {
    let found = match find(workspace, text) {
        Err(error @ FindError::None { .. }) => {
            return thread_file(workspace, text).ok_or_else(|| error.into());
        }
        found => found?,
    };
    match found {
        ThreadLocation::Review(thread) => Ok(show_review(workspace, &thread)?),
        ThreadLocation::Checkpoint(file) => Ok(show_checkpoint(workspace, &file)?),
        ThreadLocation::Session { id } => session_view(workspace, &id, text),
    }
}

/// Returns a review thread from a file outside any store, such as a copy.
fn thread_file(workspace: &Workspace, text: &str) -> Option<ThreadView> {
    let path = workspace.env.dir.join(text);
    if path.extension().is_none_or(|extension| extension != "md") || !path.is_file() {
        return None;
    }
    let thread = ThreadRef { reviews: workspace.reviews.clone(), path };
    let view = show_review(workspace, &thread).ok()?;
    view.row.usable.then_some(view)
}

/// Returns the full thread of a row.
pub fn expand(workspace: &Workspace, row: &ThreadRow) -> Result<ThreadView, ReadError> {
    let mut view = match ThreadLocation::from_row(workspace, row) {
        ThreadLocation::Checkpoint(file) => show_checkpoint(workspace, &file)?,
        ThreadLocation::Review(thread) => show_review(workspace, &thread)?,
        ThreadLocation::Session { .. } => with_directory(row.clone()),
    };
    view.row.branch.clone_from(&row.branch);
    Ok(view)
}

/// Returns a review thread at the current location of its code.
pub fn show_review(workspace: &Workspace, thread: &ThreadRef) -> Result<ThreadView, ReadError> {
    let mut placer = Placer::new(workspace, &thread.reviews);
    let mut view = review_view(&mut placer, thread, &workspace.settings)?;
    placer.finish();
    if thread.path.parent() == Some(drafts::dir(workspace).as_path()) {
        view.row.mark_draft();
    }
    mark_claims(workspace, [&mut view.row]);
    mark_origins(workspace, [&mut view.row]);
    branches::mark(workspace, [&mut view.row]);
    Ok(view)
}

/// Returns a review thread at the current location of its code, with a shared placer.
pub fn review_view(
    placer: &mut Placer<'_>,
    thread: &ThreadRef,
    settings: &Settings,
) -> Result<ThreadView, ReadError> {
    let usable = |bytes: &[u8]| thread.parse(bytes.to_vec()).0.head().usable;
    match read_stable(&thread.path, &usable) {
        Ok(read) => Ok(ReviewThread::parse(read.bytes, thread, settings).placed(placer)),
        Err(error) => {
            let row = unreadable_row(Kind::Review, &thread.path, error)?;
            Ok(ThreadView { row, body: ThreadBody::Review(ReviewBody::default()) })
        }
    }
}

/// Returns a checkpoint with its state.
pub fn show_checkpoint(
    workspace: &Workspace,
    file: &CheckpointFile,
) -> Result<ThreadView, ReadError> {
    let (form, path) = file;
    let stem = stem(path);
    let usable = |bytes: &[u8]| CheckpointDoc::parse(bytes.to_vec(), &stem, *form).0.head().usable;
    match read_stable(path, &usable) {
        Ok(read) => {
            let mut view = checkpoint_view(read.bytes, file);
            States::read(&workspace.checkpoints, workspace.env.clock.now()).mark(&mut view.row);
            Ok(view)
        }
        Err(error) => {
            let row = unreadable_row(Kind::Checkpoint, path, error)?;
            Ok(ThreadView { row, body: ThreadBody::Checkpoint(CheckpointBody::default()) })
        }
    }
}

/// Returns a checkpoint from the bytes of its file, with the status in the file.
pub fn checkpoint_view(bytes: Vec<u8>, (form, path): &CheckpointFile) -> ThreadView {
    let row = checkpoint::row(&bytes, path, *form);
    let (doc, _) = CheckpointDoc::parse(bytes, &row.id, *form);
    let files = doc.files().into_iter().map(|file| TouchedFile {
        path: redacted(file.path),
        reason: file.reason.map(redacted),
        deleted: file.deleted,
    });
    let head = doc.head();
    let body = CheckpointBody {
        files: files.collect(),
        next_steps: doc.steps().into_iter().map(StepView::from).collect(),
        commits_made: doc.commits().into_iter().map(redacted).collect(),
        session_id: head.session_id.clone().map(redacted),
        trigger: head.trigger.clone().map(redacted),
        workspace_root: head.workspace_root.clone().map(redacted),
        other: others(&doc),
    };
    ThreadView { row, body: ThreadBody::Checkpoint(body) }
}

fn session_view(workspace: &Workspace, id: &str, text: &str) -> Result<ThreadView, ShowError> {
    let none = || FindError::None { text: text.to_owned(), near: Vec::new() };
    let file = workspace.sessions.file().ok_or_else(none)?;
    let rows = session::rows(file, &Filter::default(), &workspace.settings).rows;
    let row = rows.into_iter().find(|row| row.id == id).ok_or_else(none)?;
    Ok(with_directory(*row))
}

/// Returns a session, with whether its directory exists.
fn with_directory(mut row: ThreadRow) -> ThreadView {
    check_directories([&mut row]);
    ThreadView { row, body: ThreadBody::Session {} }
}

/// Returns the row of a file that exists but cannot be read; a missing file is an error.
fn unreadable_row(kind: Kind, path: &Path, error: ReadError) -> Result<ThreadRow, ReadError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(unreadable(kind, path, &error.reason())),
        Err(_) => Err(error),
    }
}

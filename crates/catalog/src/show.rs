use std::path::Path;

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::redact::redacted;
use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_model::view::{
    CheckpointBody, ReviewBody, StepView, ThreadBody, ThreadRow, ThreadView, TouchedFile,
};
use skein_model::{Filter, Kind};
use skein_store::{ReadError, read_stable};
use skein_workspace::settings::Settings;
use skein_workspace::{Env, ReviewStore, Workspace};

use crate::branches;
use crate::checkpoint_state::States;
use crate::drafts;
use crate::find::find;
use crate::leases::mark_claims;
use crate::location::{FindError, ThreadLocation, of_row};
use crate::placement::Placer;
use crate::review_thread::ReviewThread;
use crate::rows::session::check_directories;
use crate::rows::{checkpoint, session, unreadable};
use crate::unknown_fields::others;

/// Why a thread cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// It cannot be found.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Its file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Shows the thread that `text` means.
pub fn show(workspace: &Workspace, env: &Env, text: &str) -> Result<ThreadView, ShowError> {
    let found = match find(workspace, env, text) {
        Err(error @ FindError::None { .. }) => {
            return thread_file(workspace, env, text).ok_or_else(|| error.into());
        }
        found => found?,
    };
    match found {
        ThreadLocation::Review { reviews, path } => {
            Ok(review_alone(workspace, env, &reviews, &path)?)
        }
        ThreadLocation::Checkpoint { form, path } => {
            Ok(checkpoint_view(workspace, env, &path, form)?)
        }
        ThreadLocation::Session { id } => session_view(workspace, &id, text),
    }
}

/// Shows a review thread in a file that is in no store, such as a copy.
fn thread_file(workspace: &Workspace, env: &Env, text: &str) -> Option<ThreadView> {
    let path = env.dir.join(text);
    if path.extension().is_none_or(|extension| extension != "md") || !path.is_file() {
        return None;
    }
    let view = review_alone(workspace, env, &workspace.reviews, &path).ok()?;
    view.row.usable.then_some(view)
}

/// Shows the whole thread of a row.
pub fn expand(workspace: &Workspace, env: &Env, row: &ThreadRow) -> Result<ThreadView, ReadError> {
    let mut view = match of_row(workspace, row) {
        ThreadLocation::Checkpoint { form, path } => checkpoint_view(workspace, env, &path, form)?,
        ThreadLocation::Review { reviews, path } => review_alone(workspace, env, &reviews, &path)?,
        ThreadLocation::Session { .. } => looked_at(row.clone()),
    };
    view.row.branch.clone_from(&row.branch);
    Ok(view)
}

fn review_alone(
    workspace: &Workspace,
    env: &Env,
    reviews: &ReviewStore,
    path: &Path,
) -> Result<ThreadView, ReadError> {
    let mut placer = Placer::new(workspace, reviews, env);
    let mut view = review_view(&mut placer, reviews, path, &workspace.settings)?;
    placer.finish();
    if path.parent() == Some(drafts::dir(workspace, env).as_path()) {
        view.row.mark_draft();
    }
    mark_claims(workspace, env, [&mut view.row]);
    branches::mark(workspace, env, [&mut view.row]);
    Ok(view)
}

/// Shows a review thread at the place where its code is now.
pub fn review_view(
    placer: &mut Placer<'_>,
    reviews: &ReviewStore,
    path: &Path,
    settings: &Settings,
) -> Result<ThreadView, ReadError> {
    let stem = stem(path);
    let store = &reviews.store_path;
    let usable = |bytes: &[u8]| ReviewDoc::parse(bytes.to_vec(), &stem, store).0.head().usable;
    let bytes = match read_stable(path, &usable) {
        Ok(snapshot) => snapshot.bytes,
        Err(error) => {
            let row = unreadable_row(Kind::Review, path, error)?;
            return Ok(ThreadView { row, body: ThreadBody::Review(ReviewBody::default()) });
        }
    };
    Ok(ReviewThread::parse(bytes, path, reviews, settings).placed(placer))
}

/// Shows a checkpoint with its state.
pub fn checkpoint_view(
    workspace: &Workspace,
    env: &Env,
    path: &Path,
    form: CheckpointFileKind,
) -> Result<ThreadView, ReadError> {
    let stem = stem(path);
    let usable = |bytes: &[u8]| CheckpointDoc::parse(bytes.to_vec(), &stem, form).0.head().usable;
    let bytes = match read_stable(path, &usable) {
        Ok(snapshot) => snapshot.bytes,
        Err(error) => {
            let row = unreadable_row(Kind::Checkpoint, path, error)?;
            return Ok(ThreadView { row, body: ThreadBody::Checkpoint(CheckpointBody::default()) });
        }
    };
    let mut view = checkpoint_of(bytes, path, form);
    States::read(&workspace.checkpoints, env.clock.now()).mark(&mut view.row);
    Ok(view)
}

/// Shows a checkpoint whose bytes are at hand; its status is the one that the file says.
pub fn checkpoint_of(bytes: Vec<u8>, path: &Path, form: CheckpointFileKind) -> ThreadView {
    let stem = stem(path);
    let row = checkpoint::row(&bytes, &stem, path.display().to_string(), form);
    let (doc, _) = CheckpointDoc::parse(bytes, &stem, form);
    let files = doc.files().into_iter().map(|file| TouchedFile {
        path: redacted(file.path),
        reason: file.reason.map(redacted),
        deleted: file.deleted,
    });
    let body = CheckpointBody {
        files: files.collect(),
        next_steps: doc.steps().into_iter().map(StepView::from).collect(),
        commits_made: doc.commits().into_iter().map(redacted).collect(),
        session_id: doc.head().session_id.clone().map(redacted),
        trigger: doc.head().trigger.clone().map(redacted),
        workspace_root: doc.head().workspace_root.clone().map(redacted),
        other: others(&doc),
    };
    ThreadView { row, body: ThreadBody::Checkpoint(body) }
}

fn session_view(workspace: &Workspace, id: &str, text: &str) -> Result<ThreadView, ShowError> {
    let none = || FindError::None { text: text.to_owned(), near: Vec::new() };
    let file = workspace.sessions.file().ok_or_else(none)?;
    let rows = session::rows(file, &Filter::default(), &workspace.settings).rows;
    let row = rows.into_iter().find(|row| row.id == id).ok_or_else(none)?;
    Ok(looked_at(*row))
}

/// Shows a session, and says whether its directory is there.
fn looked_at(mut row: ThreadRow) -> ThreadView {
    check_directories([&mut row]);
    ThreadView { row, body: ThreadBody::Session {} }
}

/// A file that is there and cannot be read is shown with the reason; one that is gone is not.
fn unreadable_row(kind: Kind, path: &Path, error: ReadError) -> Result<ThreadRow, ReadError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(unreadable(kind, path, &error.reason())),
        Err(_) => Err(error),
    }
}

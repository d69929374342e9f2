//! Writes handoffs.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::resume_lock::holder;
use skein_format::checkpoint::{CheckpointType, HandoffDoc, Pointer, PreviousHandoff};
use skein_format::json::{self, Dialect};
use skein_store::copy_to_trash;
use skein_workspace::Workspace;

use super::agent_session::Session;
use super::error::CheckpointError;
use super::save::{self, Save, SaveAction, SaveResult, saved};
use super::select::{Offers, WorkPlace};
use super::{git_facts, index_files, open, publish, store_lock};

/// The content of a handoff.
#[derive(Clone, Debug, Default)]
pub struct Handoff {
    /// The message to the next session.
    pub message: String,
    /// A title; by default the start of the message.
    pub title: Option<String>,
    /// What is left to do.
    pub steps: Vec<String>,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// Files in addition to those that git lists, relative to the current directory.
    pub files: Vec<String>,
    /// The agent's session; by default the one in the environment.
    pub session: Option<String>,
}

/// A handoff that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoffResult {
    /// The thread that was written.
    #[serde(flatten)]
    pub saved: SaveResult,
    /// The path of `handoff.json`, which points to the thread.
    pub pointer: String,
    /// The thread that it pointed to before.
    pub previous: Option<String>,
    /// The newest open handoff of this worktree before this one that is not taken; it stays open.
    pub before: Option<String>,
}

/// Writes a thread of the type `handoff`, sets the pointer to it, and updates the tables.
///
/// The old content of the pointer is also in the thread that it pointed to, and in the new one.
pub fn handoff(workspace: &Workspace, handoff: &Handoff) -> Result<HandoffResult, CheckpointError> {
    let env = &workspace.env;
    if handoff.message.trim().is_empty() {
        return Err(CheckpointError::Empty);
    }
    let session = Session::resolve(workspace, handoff.session.as_deref());
    let facts = git_facts::full(workspace, &session);
    let mut notes = facts.notes.clone();
    let mut new = save::draft(workspace, &as_save(handoff), &session, facts);
    new.kind = CheckpointType::Handoff;
    new.title = Some(title(handoff));
    let opened = open::ensure(workspace)?;
    notes.extend(opened.notes);
    let checkpoints = &workspace.checkpoints;
    let path = checkpoints.threads().join(HandoffDoc::FILE_NAME);
    store_lock::inside(checkpoints, &path)?;
    let path = store_lock::copy_up(workspace, &opened.guard, &path)?;
    if path.is_dir() {
        return Err(CheckpointError::NotAFile { path });
    }
    let is_broken = skein_store::read(&path).is_ok_and(|old| is_no_object(&old.bytes));
    let old = skein_catalog::handoff_pointer::read(workspace).0;
    let before = offered(workspace, old.as_ref());
    new.previous_handoff = old.and_then(previous);
    let last = new.previous_handoff.as_ref().map(|previous| previous.last_thread.clone());
    let (id, file, doc) = save::create(env, &opened.guard, &new)?;
    let pointer = Pointer {
        created_at: new.created_at,
        message: handoff.message.trim().to_owned(),
        thread: id,
        context_notes: new.steps.join("; "),
        git: doc.head().git.clone(),
    };
    let keep = |path: &Path, bytes: &[u8]| keep(workspace, path, bytes);
    publish::point(&*env.fs, &opened.guard, &pointer, &keep)?;
    if is_broken {
        notes.push("handoff.json was invalid; a copy was saved to the trash.".to_owned());
    }
    drop(opened.guard);
    let mut saved = saved(&file, &doc, SaveAction::Created, notes);
    saved.diagnostics.extend(index_files::refresh(workspace));
    Ok(HandoffResult { saved, pointer: path.display().to_string(), previous: last, before })
}

/// Returns the newest handoff of this worktree that is open and not taken.
fn offered(workspace: &Workspace, pointer: Option<&HandoffDoc>) -> Option<String> {
    let now = workspace.env.clock.now();
    let offers = Offers::all(workspace, pointer);
    let mut here = offers.open_handoffs().filter(|(_, origin)| origin.place == WorkPlace::Worktree);
    let free = here.find(|(offer, _)| holder(&workspace.checkpoints, &offer.id, now).is_none());
    free.map(|(offer, _)| offer.id.clone())
}

fn is_no_object(bytes: &[u8]) -> bool {
    let bytes = bytes.get(json::bom_len(bytes)..).unwrap_or_default();
    !bytes.trim_ascii_start().starts_with(b"{") || json::validate(bytes, Dialect::Json).is_err()
}

fn as_save(handoff: &Handoff) -> Save {
    Save {
        summary: handoff.message.clone(),
        steps: handoff.steps.clone(),
        tags: [vec!["handoff".to_owned()], handoff.tags.clone()].concat(),
        files: handoff.files.clone(),
        ..Save::default()
    }
}

fn title(handoff: &Handoff) -> String {
    match handoff.title.as_deref().map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => title.to_owned(),
        None => format!("Handoff: {}", skein_format::checkpoint::title_of(&handoff.message)),
    }
}

fn previous(pointer: HandoffDoc) -> Option<PreviousHandoff> {
    let non_blank = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Some(PreviousHandoff {
        last_thread: pointer.last_thread?,
        message: non_blank(pointer.message),
        context_notes: non_blank(pointer.context_notes),
    })
}

/// Copies an unusable pointer to the trash before it is replaced.
fn keep(workspace: &Workspace, path: &Path, bytes: &[u8]) -> Result<PathBuf, CheckpointError> {
    let trash = workspace.dirs().state.join("trash");
    let stamp = workspace.env.clock.now().compact();
    Ok(copy_to_trash(&*workspace.env.fs, &trash, path, bytes, &stamp)?)
}

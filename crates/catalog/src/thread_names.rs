//! The names of all threads, without reading them.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{CheckpointFileKind, is_legacy_file, is_thread_file};
use skein_format::session::Mode;
use skein_model::Kind;
use skein_workspace::{CheckpointStore, ReviewStore, Workspace};

use crate::rows::session;

/// A thread that an id may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadName {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    pub(crate) form: Option<CheckpointFileKind>,
    pub path: PathBuf,
}

/// Returns the names of all threads of the workspace.
pub fn names(workspace: &Workspace) -> Vec<ThreadName> {
    let mut all = Vec::new();
    if workspace.reviews.exists {
        all = review_names(&workspace.reviews);
    }
    all.append(&mut checkpoint_names(&workspace.checkpoints));
    if let Some(file) = workspace.sessions.file() {
        let path = file.to_owned();
        let sessions = session_ids(file, workspace.settings.session_mode()).into_iter();
        all.extend(sessions.map(|id| ThreadName {
            kind: Kind::Session,
            id,
            form: None,
            path: path.clone(),
        }));
    }
    all
}

/// Returns the names of the checkpoints; a thread hides a legacy one of the same id.
pub fn checkpoint_names(checkpoints: &CheckpointStore) -> Vec<ThreadName> {
    let mut all = Vec::new();
    for dir in checkpoints.thread_dirs() {
        add(
            &mut all,
            Kind::Checkpoint,
            Some(CheckpointFileKind::Thread),
            &dir,
            ".json",
            is_thread_file,
        );
    }
    if checkpoints.local.is_some() {
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all.dedup_by(|a, b| a.id == b.id);
    }
    let before = all.len();
    add(
        &mut all,
        Kind::Checkpoint,
        Some(CheckpointFileKind::Legacy),
        &checkpoints.legacy(),
        ".json",
        is_legacy_file,
    );
    let legacy = all.split_off(before);
    all.extend(legacy.into_iter().filter(|named| !checkpoints.replaces_legacy(&named.id)));
    all
}

/// Returns the names of the review threads of one store.
pub fn review_names(reviews: &ReviewStore) -> Vec<ThreadName> {
    let mut all = Vec::new();
    add(&mut all, Kind::Review, None, &reviews.threads(), ".md", |name| !name.starts_with('.'));
    all
}

/// Adds the names of one directory, in order.
pub(crate) fn add(
    all: &mut Vec<ThreadName>,
    kind: Kind,
    form: Option<CheckpointFileKind>,
    dir: &Path,
    suffix: &str,
    keep: fn(&str) -> bool,
) {
    let before = all.len();
    let Ok(entries) = dir.read_dir() else { return };
    for name in
        entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok())
    {
        let Some(stem) = name.strip_suffix(suffix).filter(|_| keep(&name)) else {
            continue;
        };
        all.push(ThreadName { kind, id: stem.to_owned(), form, path: dir.join(&name) });
    }
    if let Some(added) = all.get_mut(before..) {
        added.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    }
}

/// Returns the ids of the sessions of a map.
pub fn session_ids(file: &Path, mode: Mode) -> Vec<String> {
    let Ok((doc, _)) = session::map(file) else {
        return Vec::new();
    };
    doc.load(mode).mappings.into_iter().map(|mapping| mapping.session_id.into_owned()).collect()
}

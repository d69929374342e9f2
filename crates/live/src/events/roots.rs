//! The directories that the stores of a workspace are in, and whether they are still there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use skein_format::time::Time;
use skein_model::{Filter, Kind};
use skein_store::file_id;
use skein_workspace::Workspace;

/// A directory that is watched was moved or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DirectoryGone {
    /// When it was seen.
    pub at: Time,
    /// `workspace`, which ends the watch, or `store`.
    pub kind: &'static str,
    /// The directory.
    pub id: String,
    /// Always `gone`.
    pub event: &'static str,
    /// The name of the directory.
    pub title: String,
    /// The directory, once more: the member in which events of threads have their file.
    pub file: String,
    /// The number of threads that pass the filter and were in the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl DirectoryGone {
    pub(super) fn new(kind: &'static str, dir: &Path, threads: Option<usize>, at: Time) -> Self {
        let path = dir.display().to_string();
        let title = dir.file_name().map(|name| name.to_string_lossy().into_owned());
        let title = title.unwrap_or_else(|| path.clone());
        Self { at, kind, id: path.clone(), event: "gone", title, file: path, threads }
    }
}

/// The root directories of the stores that are watched.
pub(super) struct StoreRoots(Vec<(PathBuf, Identity)>);

/// Distinguishes a directory from a later one with the same path or number.
type Identity = ((u64, u64), Option<SystemTime>);

impl StoreRoots {
    pub(super) fn new(workspace: &Workspace, filter: &Filter) -> Self {
        let checkpoints = filter.wants(Kind::Checkpoint).then_some(&workspace.checkpoints.root);
        let mut roots = vec![&workspace.reviews.root];
        roots.extend(checkpoints);
        roots.dedup();
        let known = roots.into_iter().filter_map(|root| Some((root.clone(), identity(root)?)));
        Self(known.collect())
    }

    /// Returns the first root that is not at its path any more.
    pub(super) fn missing(&self) -> Option<&Path> {
        let missing = self.0.iter().find(|(root, known)| identity(root).as_ref() != Some(known));
        missing.map(|(root, _)| root.as_path())
    }
}

fn identity(root: &Path) -> Option<Identity> {
    let meta = fs::metadata(root).ok()?;
    Some((file_id(&meta), meta.created().ok()))
}

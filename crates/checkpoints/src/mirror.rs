//! Hard links that other programs make to a checkpoint, so that a company's folder shows it too.

use std::path::{Path, PathBuf};

use skein_store::{file_id, link_count};
use skein_workspace::CheckpointStore;

/// Where such links are, below the folder of a company.
const FOLDERS: [&str; 2] = ["workspace/sessions", "workspace/threads"];

/// Returns the other names of a checkpoint's file; the folders are looked at only where it has several.
pub(super) fn mirrors(checkpoints: &CheckpointStore, path: &Path) -> Vec<PathBuf> {
    let Ok(own) = path.symlink_metadata() else { return Vec::new() };
    if link_count(&own) < 2 || !own.is_file() {
        return Vec::new();
    }
    let name = path.file_name().unwrap_or_default();
    let companies = checkpoints.root.join("companies").read_dir();
    let companies = companies.into_iter().flatten().filter_map(Result::ok);
    let places =
        companies.flat_map(|company| FOLDERS.map(|folder| company.path().join(folder).join(name)));
    let is_same = |other: &PathBuf| {
        other.symlink_metadata().is_ok_and(|meta| file_id(&meta) == file_id(&own))
    };
    places.filter(|other| other != path && is_same(other)).collect()
}

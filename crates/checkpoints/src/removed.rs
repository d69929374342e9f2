//! Checkpoints of removed linked worktrees that exist only as copies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_catalog::checkpoint_lookup;
use skein_catalog::worktree_copy::{
    CopiedWorktree, checkpoint_copies, copied_worktrees, store_files,
};
use skein_format::checkpoint::{is_thread_file, merge};
use skein_model::normalize_path::stem;
use skein_workspace::branch_versions::BranchVersions;
use skein_workspace::kept_state::entries;
use skein_workspace::layout::ARCHIVE;
use skein_workspace::{CheckpointStore, Workspace};

use super::cleanup;

/// The checkpoints of a worktree that exist only as copies.
pub struct RemovedCheckpoints {
    /// The worktree.
    pub from: CopiedWorktree,
    /// Whether the worktree still exists and has a store, from which they are missing.
    pub has_store: bool,
    /// The directory of the copies.
    pub(crate) dir: PathBuf,
    /// The copies, relative to that directory.
    pub files: Vec<PathBuf>,
}

/// Lists the checkpoints of removed worktrees that exist only as copies, by path of the worktree.
///
/// Only ids that pass `is_wanted` are included.
pub fn removed_checkpoints(
    workspace: &Workspace,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<RemovedCheckpoints> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let removed = |from: CopiedWorktree| {
        let dir = checkpoint_copies(&from.dir, &workspace.checkpoints_below());
        let own = from.worktree.as_ref().and_then(|one| workspace.checkpoints_in(one));
        let mut files = copied_checkpoints(&dir);
        files.retain(|file| is_wanted(&stem(file)));
        let trashed = trashed(workspace, &from);
        files.retain(|file| !trashed.contains(&stem(file)));
        let stores: Vec<&CheckpointStore> = own.iter().chain([&workspace.checkpoints]).collect();
        let mut branches = None;
        files.retain(|file| {
            let Ok(copy) = skein_store::read(&dir.join(file)) else { return false };
            let versions = stores.iter().filter_map(|store| version(store, &stem(file)));
            let versions: Vec<Vec<u8>> = versions.collect();
            if versions.contains(&copy.bytes) {
                return false;
            }
            let branches =
                branches.get_or_insert_with(|| BranchVersions::read(workspace, &from.branch));
            let path = branches_path(workspace, file);
            let base = branches.base(&path);
            let says_all =
                |there: &[u8]| says_all(base.as_deref(), there, &copy.bytes, &stem(file));
            !versions.iter().any(|there| says_all(there)) && !branches.any(&path, &says_all)
        });
        RemovedCheckpoints { from, has_store: own.is_some(), dir, files }
    };
    let mut all: Vec<RemovedCheckpoints> = copied_worktrees(git).into_iter().map(removed).collect();
    all.retain(|one| !one.files.is_empty());
    all.sort_by(|a, b| (&a.from.root, &a.files).cmp(&(&b.from.root, &b.files)));
    all
}

/// Lists the checkpoints of a directory of copies; an archived one is listed only in the archive.
fn copied_checkpoints(dir: &Path) -> Vec<PathBuf> {
    let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = store_files(dir);
    files.retain(|file| is_thread_file(&name(file)));
    let is_archived = |file: &&PathBuf| file.starts_with(ARCHIVE);
    let archived: BTreeSet<String> =
        files.iter().filter(is_archived).map(|file| name(file)).collect();
    files.retain(|file| file.starts_with(ARCHIVE) || !archived.contains(&name(file)));
    files.sort();
    files
}

/// Returns the ids of the checkpoints in the trash of this store and of the worktree's store.
fn trashed(workspace: &Workspace, from: &CopiedWorktree) -> BTreeSet<String> {
    // Joining an empty path would append a slash and so change the name of the state directory.
    let root: PathBuf =
        from.root.components().chain(workspace.checkpoints_below().components()).collect();
    let there = Workspace { checkpoints: CheckpointStore::at(root), ..workspace.clone() };
    let names = [workspace, &there].map(|one| entries(&cleanup::trash(one)));
    let id = |name: String| Some(name.split_once("-T-")?.1.strip_suffix(".json")?.to_owned());
    names.into_iter().flatten().filter_map(id).map(|rest| format!("T-{rest}")).collect()
}

/// Reads a checkpoint of a store by id, also from the archive.
fn version(store: &CheckpointStore, id: &str) -> Option<Vec<u8>> {
    let (_, path) = checkpoint_lookup::exact(store, id)?;
    Some(skein_store::read(&path).ok()?.bytes)
}

/// Returns the path of a checkpoint relative to the top of the repository.
pub(super) fn branches_path(workspace: &Workspace, file: &Path) -> String {
    let root = CheckpointStore::at(workspace.checkpoints_below());
    root.threads().join(file).to_string_lossy().into_owned()
}

/// Returns whether a version contains everything of the copy; git may have changed the line endings.
fn says_all(base: Option<&[u8]>, there: &[u8], copy: &[u8], stem: &str) -> bool {
    let plain =
        |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<_>>();
    plain(there) == plain(copy)
        || merge(base, there, copy, stem).is_some_and(|merged| merged == there)
}

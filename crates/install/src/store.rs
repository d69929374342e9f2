//! The store to which hooks write checkpoints.

use std::path::Path;

use skein_checkpoints::open;
use skein_git::RepoDirs;
use skein_store::remove_empty_dir;
use skein_workspace::{CheckpointStore, Env, Workspace, git_exclude, trust};

use super::error::InstallResult;

/// Creates the store of checkpoints and returns notes about it. Hooks never create a store, and write nothing without one.
pub fn prepare(workspace: &Workspace) -> InstallResult<Vec<String>> {
    let is_missing = !workspace.checkpoints.threads().is_dir();
    let notes = open::ensure(workspace)?.notes;
    if is_missing {
        trust::record_store(&workspace.env, &workspace.checkpoints.root)?;
    }
    Ok(notes)
}

/// Removes a store that was created for hooks and is still empty; returns whether it was removed.
pub(super) fn remove_unused(env: &Env, root: &Path) -> InstallResult<bool> {
    let Some(root) = root.canonicalize().ok().filter(|root| was_created(env, root)) else {
        return Ok(false);
    };
    let threads = CheckpointStore::at(root.clone()).threads();
    // A directory that is not empty is kept, and git still ignores it.
    if !remove_empty_dir(&threads).unwrap_or(false) {
        return Ok(false);
    }
    remove_empty_dir(&root.join("workspace")).unwrap_or(false);
    if let Some(git) = RepoDirs::discover(&root).ok().flatten()
        && git_exclude::remove(env, &git, &threads)?
    {
        git_exclude::drop_empty(env, &git)?;
    }
    Ok(true)
}

fn was_created(env: &Env, root: &Path) -> bool {
    // If the record cannot be removed, the store is kept.
    trust::forget_store(env, root).unwrap_or(false)
}

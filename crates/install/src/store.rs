//! The store that hooks write checkpoints to.

use std::path::Path;

use skein_checkpoints::open;
use skein_git::RepoDirs;
use skein_store::remove_empty_dir;
use skein_workspace::{CheckpointStore, Env, Workspace, git_exclude, trust};

use super::error::InstallError;

/// Makes the store of checkpoints, and says so: hooks never make one, and keep nothing where there is none.
pub fn prepare(workspace: &Workspace, env: &Env) -> Result<Vec<String>, InstallError> {
    let is_missing = !workspace.checkpoints.threads().is_dir();
    let notes = open::ensure(env, workspace)?.notes;
    if is_missing {
        trust::record_store(env, &workspace.checkpoints.root)?;
    }
    Ok(notes)
}

/// Removes a store that was made for hooks and that nothing was ever put into; true when there was one.
pub(super) fn drop_unused(env: &Env, root: &Path) -> Result<bool, InstallError> {
    let Some(root) = root.canonicalize().ok().filter(|root| is_made(env, root)) else {
        return Ok(false);
    };
    let threads = CheckpointStore::at(root.clone()).threads();
    // What holds something stays, and stays hidden from git.
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

fn is_made(env: &Env, root: &Path) -> bool {
    // What cannot be written down is told by the next one who asks.
    trust::forget_store(env, root).unwrap_or(false)
}

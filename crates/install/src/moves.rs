//! Handles worktrees whose directory was moved.
//!
//! State is stored by the path of the worktree. A file in its git directory, which is moved with it, contains the old path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::leases::DIRECTORY as CLAIMS;
use skein_store::{lock, path_bytes, path_from_bytes, remove, write_private};
use skein_workspace::kept_state::{move_files, move_kept};
use skein_workspace::{Env, FileError, Workspace};

use super::error::InstallResult;
use super::install_log;
use crate::setup::SetupError;

/// The name of the file in the git directory of a worktree that contains the path of the worktree.
const FILE: &str = "skein-root";
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Updates drafts, the trash, claims, submissions and the install log of a worktree that was moved since the last command.
///
/// If the old directory still exists, this one is a copy of it, and nothing is moved.
pub fn follow_move(workspace: &Workspace) -> InstallResult {
    let env = &workspace.env;
    let Some(git) = &workspace.git else { return Ok(()) };
    let Some(top) = git.top.as_deref().filter(|_| env.dirs.read_only.is_none()) else {
        return Ok(());
    };
    let known = recorded_path(&git.git_dir);
    if known.as_deref() == Some(top) || (known.is_none() && !is_used(env, top)) {
        return Ok(());
    }
    if let Some(old) = old_top(&git.git_dir, top) {
        let [from, to] = [&old, top].map(|root| env.dirs.for_root(root).state);
        move_kept(env, &from, &to)?;
        move_files(env, CLAIMS, &from, &to)?;
        skein_review::move_rounds(env, git, (&from, &to)).map_err(SetupError::from)?;
        install_log::relocate(env, &old, top)?;
    }
    let guard = lock(&*env.fs, &git.git_dir, LOCK_TIMEOUT)?;
    let file = git.git_dir.join(FILE);
    Ok(write_private(&*env.fs, &guard, &file, path_bytes(top))?)
}

/// Returns the recorded path of a worktree, if it differs from the current one and does not exist any more.
fn old_top(git_dir: &Path, top: &Path) -> Option<PathBuf> {
    let old = recorded_path(git_dir).filter(|old| old != top && old.is_absolute())?;
    old.symlink_metadata().is_err().then_some(old)
}

/// Removes the recorded path of a worktree if there is no state for it.
fn remove_record(env: &Env, git_dir: &Path, top: &Path) -> Result<(), FileError> {
    let file = git_dir.join(FILE);
    let Some(snapshot) = skein_store::read(&file).ok().filter(|_| !is_used(env, top)) else {
        return Ok(());
    };
    let guard = lock(&*env.fs, git_dir, LOCK_TIMEOUT)?;
    Ok(remove(&*env.fs, &guard, &file, &snapshot.revision)?)
}

fn recorded_path(git_dir: &Path) -> Option<PathBuf> {
    let bytes = skein_store::read(&git_dir.join(FILE)).ok()?.bytes;
    Some(path_from_bytes(bytes))
}

/// Returns whether there is state for a worktree.
fn is_used(env: &Env, top: &Path) -> bool {
    env.dirs.for_root(top).state.is_dir() || install_log::is_installed_in(env, top)
}

/// Updates the log for moved worktrees of the clone; returns their old paths.
pub(super) fn follow_moves(workspace: &Workspace) -> InstallResult<Vec<PathBuf>> {
    let mut gone = Vec::new();
    for worktree in workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees) {
        if let Some(old) = old_top(&worktree.git_dir, &worktree.top) {
            install_log::relocate(&workspace.env, &old, &worktree.top)?;
            gone.push(old);
        }
    }
    Ok(gone)
}

/// Records the path of a worktree, so that its installation is found after it was moved.
pub(super) fn note_location(workspace: &Workspace) {
    // If it cannot be recorded now, the next command records it.
    drop(follow_move(workspace));
}

/// Removes the recorded paths of the worktrees of a clone that have no state any more.
pub(super) fn remove_records(workspace: &Workspace) -> InstallResult {
    for worktree in workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees) {
        remove_record(&workspace.env, &worktree.git_dir, &worktree.top)?;
    }
    Ok(())
}

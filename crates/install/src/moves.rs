//! The state of a worktree whose directory was moved, and what was installed in it.
//!
//! State is kept under the path of a root. A file in the git directory of the worktree, which moves with it, says what
//! that path was.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::leases::DIRECTORY as CLAIMS;
use skein_store::{lock, path_bytes, path_from_bytes, remove, write_private};
use skein_workspace::kept_state::{move_files, move_kept};
use skein_workspace::{Env, FileError, Workspace};

use super::error::InstallError;
use super::install_log;
use crate::setup::SetupError;

/// The file in the git directory of a worktree.
const FILE: &str = "skein-root";
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Lets drafts, what was deleted, claims, submissions and what was installed follow a worktree that was moved since the last command.
///
/// A directory that is still where it was is another one: this one is a copy of it.
pub fn follow_move(workspace: &Workspace, env: &Env) -> Result<(), InstallError> {
    let Some(git) = &workspace.git else { return Ok(()) };
    let Some(top) = git.top.as_deref().filter(|_| env.dirs.read_only.is_none()) else {
        return Ok(());
    };
    let known = noted(&git.git_dir);
    if known.as_deref() == Some(top) || (known.is_none() && !is_used(env, top)) {
        return Ok(());
    }
    if let Some(old) = old_top(&git.git_dir, top) {
        let [from, to] = [&old, top].map(|root| env.dirs.for_root(root).state);
        move_kept(env, &from, &to, &mut |_, _| ())?;
        move_files(env, CLAIMS, &from, &to, &mut |_, _| ())?;
        skein_review::move_rounds(env, git, (&from, &to)).map_err(SetupError::from)?;
        install_log::relocate(env, &old, top)?;
    }
    let guard = lock(&*env.fs, &git.git_dir, LOCK_TIMEOUT)?;
    let file = git.git_dir.join(FILE);
    Ok(write_private(&*env.fs, &guard, &file, path_bytes(top))?)
}

/// Returns where a worktree was when that was last noted, if it is somewhere else and nothing is there any more.
fn old_top(git_dir: &Path, top: &Path) -> Option<PathBuf> {
    let old = noted(git_dir).filter(|old| old != top && old.is_absolute())?;
    old.symlink_metadata().is_err().then_some(old)
}

/// Removes the note of where a worktree is, unless something is kept under that path.
fn forget_place(env: &Env, git_dir: &Path, top: &Path) -> Result<(), FileError> {
    let file = git_dir.join(FILE);
    let Some(snapshot) = skein_store::read(&file).ok().filter(|_| !is_used(env, top)) else {
        return Ok(());
    };
    let guard = lock(&*env.fs, git_dir, LOCK_TIMEOUT)?;
    Ok(remove(&*env.fs, &guard, &file, &snapshot.revision)?)
}

fn noted(git_dir: &Path) -> Option<PathBuf> {
    let bytes = skein_store::read(&git_dir.join(FILE)).ok()?.bytes;
    Some(path_from_bytes(bytes))
}

/// Returns whether something is kept under the path of a worktree.
fn is_used(env: &Env, top: &Path) -> bool {
    env.dirs.for_root(top).state.is_dir() || super::serves(env, top)
}

/// Lets the log follow the worktrees of the clone that were moved; returns where they were.
pub(super) fn follow_moves(workspace: &Workspace, env: &Env) -> Result<Vec<PathBuf>, InstallError> {
    let mut gone = Vec::new();
    for worktree in workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees) {
        if let Some(old) = old_top(&worktree.git_dir, &worktree.top) {
            install_log::relocate(env, &old, &worktree.top)?;
            gone.push(old);
        }
    }
    Ok(gone)
}

/// Notes where a worktree is, so that what is installed in it can be found when it was moved.
pub(super) fn note_place(workspace: &Workspace, env: &Env) {
    // What cannot be noted now is noted by the next command.
    drop(follow_move(workspace, env));
}

/// Removes the notes from the worktrees of a clone that nothing is kept for any more.
pub(super) fn drop_notes(workspace: &Workspace, env: &Env) -> Result<(), InstallError> {
    for worktree in workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees) {
        forget_place(env, &worktree.git_dir, &worktree.top)?;
    }
    Ok(())
}

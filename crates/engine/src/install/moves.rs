//! What was installed in a worktree whose directory was moved since.

use std::path::PathBuf;

use super::error::InstallError;
use super::ledger;
use crate::env::Env;
use crate::layout::Workspace;
use crate::moved;

/// Lets the ledger follow the worktrees of the clone that were moved; returns where they were.
pub(super) fn follow_moves(workspace: &Workspace, env: &Env) -> Result<Vec<PathBuf>, InstallError> {
    let mut gone = Vec::new();
    for worktree in workspace.git.iter().flat_map(skein_git::Layout::worktrees) {
        if let Some(old) = moved::old_top(&worktree.git_dir, &worktree.top) {
            ledger::relocate(env, &old, &worktree.top)?;
            gone.push(old);
        }
    }
    Ok(gone)
}

/// Notes where a worktree is, so that what is installed in it can be found when it was moved.
pub(super) fn note_place(workspace: &Workspace, env: &Env) {
    // What cannot be noted now is noted by the next command.
    drop(moved::follow_move(workspace, env));
}

/// Removes the notes from the worktrees of a clone that nothing is kept for any more.
pub(super) fn drop_notes(workspace: &Workspace, env: &Env) -> Result<(), InstallError> {
    for worktree in workspace.git.iter().flat_map(skein_git::Layout::worktrees) {
        moved::forget_place(env, &worktree.git_dir, &worktree.top)?;
    }
    Ok(())
}

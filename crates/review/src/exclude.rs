//! Keeps the store out of commits until it is shared.

use std::path::PathBuf;

use skein_git::RepoDirs;
use skein_workspace::{Env, FileError, Workspace, git_exclude};

/// Lists the store in the repository's own ignore file, and returns a note; nothing is done outside a repository.
pub fn hide(env: &Env, workspace: &Workspace) -> Result<Option<String>, FileError> {
    let Some((git, store)) = store(workspace) else { return Ok(None) };
    let added = git_exclude::add(env, git, &store)?;
    let note = |line: String| {
        format!("Git ignores {line} here (in .git/info/exclude); `skein share` takes that back.")
    };
    Ok(added.map(note))
}

/// Removes the line; true if it was there.
pub fn show(env: &Env, workspace: &Workspace) -> Result<bool, FileError> {
    store(workspace).map_or(Ok(false), |(git, store)| git_exclude::remove(env, git, &store))
}

fn store(workspace: &Workspace) -> Option<(&RepoDirs, PathBuf)> {
    let root = workspace.reviews.root.canonicalize().ok()?;
    Some((workspace.git.as_ref()?, root.join(&workspace.reviews.store_path)))
}

//! Keeps the store out of commits until it is shared.

use std::path::PathBuf;

use skein_git::RepoDirs;
use skein_workspace::{FileError, Workspace, git_exclude};

/// Adds the store to `.git/info/exclude`, and returns a note; does nothing outside a repository.
pub fn hide(workspace: &Workspace) -> Result<Option<String>, FileError> {
    let Some((git, store)) = store(workspace) else { return Ok(None) };
    let added = git_exclude::add(&workspace.env, git, &store)?;
    let note = |line: String| {
        format!("Git ignores {line} here (in .git/info/exclude); `skein share` undoes that.")
    };
    Ok(added.map(note))
}

/// Removes the line; returns whether it was there.
pub fn show(workspace: &Workspace) -> Result<bool, FileError> {
    store(workspace)
        .map_or(Ok(false), |(git, store)| git_exclude::remove(&workspace.env, git, &store))
}

fn store(workspace: &Workspace) -> Option<(&RepoDirs, PathBuf)> {
    let root = workspace.reviews.root.canonicalize().ok()?;
    Some((workspace.git.as_ref()?, root.join(&workspace.reviews.store_path)))
}

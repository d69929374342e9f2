use std::io;
use std::path::Path;

use skein_store::{SafeOpenError, read_inside};

use crate::actor::Actor;
use crate::env::canonical;
use crate::layout::Workspace;

/// Why a file that an argument names was not read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("is outside of the worktree of the agent")]
    Outside,
    #[error(transparent)]
    Unreadable(io::Error),
}

/// Reads a file that an argument names, to publish its content.
///
/// An agent gets files of its worktree only, also through links: its own tools may be forbidden to read others.
pub fn read_input(workspace: &Workspace, path: &Path) -> Result<Vec<u8>, InputError> {
    if !Actor::is_in_agent(&workspace.env) {
        return std::fs::read(path).map_err(InputError::Unreadable);
    }
    let top = workspace.worktree_top().unwrap_or(&workspace.reviews.root);
    let top = canonical(top);
    let path = path.canonicalize().map_err(InputError::Unreadable)?;
    let relative = path.strip_prefix(&top).ok().and_then(Path::to_str);
    let relative = relative.ok_or(InputError::Outside)?;
    // Directories can have been replaced by links since.
    read_inside(&top, relative, u64::MAX).map_err(|error| match error {
        SafeOpenError::Outside { .. } => InputError::Outside,
        error => InputError::Unreadable(io::Error::other(error)),
    })
}

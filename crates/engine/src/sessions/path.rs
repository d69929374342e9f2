//! Where the map is.

use std::path::{Path, PathBuf};

use skein_format::session::FILE_NAME;

use super::error::SessionError;
use crate::discover::Workspace;

/// Returns where the contract has the map: literally below the home directory, whatever variables say.
///
/// `~/.config/opencode` counts where it exists, else `~/.opencode` where that exists, else the first again, which a
/// write then creates. Nothing is created here.
pub fn map_path(home: &Path) -> PathBuf {
    let primary = home.join(".config").join("opencode");
    let fallback = home.join(".opencode");
    let dir = if !primary.is_dir() && fallback.is_dir() { fallback } else { primary };
    dir.join(FILE_NAME)
}

/// Returns the map that is meant: the one that was named, else the workspace's.
pub(super) fn wanted(workspace: &Workspace, file: Option<&Path>) -> Result<PathBuf, SessionError> {
    let file = file.or(workspace.sessions.file.as_deref());
    file.map(Path::to_owned).ok_or(SessionError::NoHome)
}

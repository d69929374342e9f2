//! Which map is meant.

use std::path::Path;

use skein_workspace::Workspace;
use skein_workspace::session_map_path::MapPath;

use super::error::SessionError;

/// Returns the map that is meant: the one that was named, else the workspace's.
pub(super) fn wanted(workspace: &Workspace, file: Option<&Path>) -> Result<MapPath, SessionError> {
    match file {
        Some(file) => Ok(MapPath::named(file)),
        None => workspace.sessions.map.clone().ok_or(SessionError::NoHome),
    }
}

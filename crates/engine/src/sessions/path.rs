//! Which map is meant.

use std::path::Path;

use super::error::SessionError;
use crate::layout::Workspace;
use crate::session_map_path::MapPath;

/// Returns the map that is meant: the one that was named, else the workspace's.
pub(super) fn wanted(workspace: &Workspace, file: Option<&Path>) -> Result<MapPath, SessionError> {
    match file {
        Some(file) => Ok(MapPath::named(file)),
        None => workspace.sessions.map.clone().ok_or(SessionError::NoHome),
    }
}

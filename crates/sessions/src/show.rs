//! One session of a map, as a person names it.

use std::path::Path;

use skein_catalog::ShortIds;
use skein_catalog::rows::session::{check_directories, row};
use skein_catalog::thread_names::session_ids;
use skein_format::session::SessionMapDoc;
use skein_model::view::{ThreadBody, ThreadView};
use skein_store::RealFs;
use skein_workspace::Workspace;

use super::error::SessionError;
use super::list::mode;
use super::{file, find, path};

/// Returns the shortest names of the sessions of a map, among all that there are.
pub fn session_handles(workspace: &Workspace, file: Option<&Path>, lenient: bool) -> ShortIds {
    let mode = mode(workspace, lenient);
    let file = path::wanted(workspace, file);
    ShortIds::of_sessions(file.map_or_else(|_| Vec::new(), |file| session_ids(file.path(), mode)))
}

/// Shows the session that `id` means, in the map that is named or in the workspace's.
///
/// Findings about its entry are those of the row.
pub fn session_show(
    workspace: &Workspace,
    id: &str,
    file: Option<&Path>,
    lenient: bool,
) -> Result<ThreadView, SessionError> {
    let map = path::wanted(workspace, file)?;
    let path = map.path();
    let real = file::real(&RealFs, &map)?;
    let held = file::read(&RealFs, &real)?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let doc: SessionMapDoc = held.ok_or_else(none)?.sound(path)?;
    let loaded = doc.load(mode(workspace, lenient));
    let mapping = find::one(&loaded.mappings, id)?.clone();
    let mut row = row(mapping, path);
    check_directories([&mut row]);
    Ok(ThreadView { row, body: ThreadBody::Session {} })
}

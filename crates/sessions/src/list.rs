//! Lists and shows the sessions of a map.

use std::path::{Path, PathBuf};

use skein_catalog::ShortIds;
use skein_catalog::list::sorted;
use skein_catalog::rows::session::{self, check_directories, row};
use skein_catalog::thread_names::session_ids;
use skein_format::session::{Mapping, Mode};
use skein_model::view::{Listing, ThreadBody, ThreadRow, ThreadView};
use skein_store::RealFs;
use skein_workspace::Workspace;
use skein_workspace::session_map_path::MapPath;

use super::error::{SessionError, SessionResult};
use super::{file, find};

/// Selects sessions; a field that is none matches all.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    pub status: Option<String>,
    pub project: Option<String>,
    pub user: Option<String>,
    /// A map other than that of the workspace.
    pub file: Option<PathBuf>,
    /// Whether invalid entries are included.
    pub lenient: bool,
}

impl SessionFilter {
    fn matches(&self, mapping: &Mapping<'_>) -> bool {
        let is =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|it| it == value);
        is(&self.status, mapping.status.as_str())
            && is(&self.project, &mapping.project_name)
            && is(&self.user, &mapping.mattermost_user_id)
    }
}

/// Lists sessions, most recently active first, with whether their directories exist.
pub fn session_list(
    workspace: &Workspace,
    filter: &SessionFilter,
) -> SessionResult<Listing<Box<ThreadRow>>> {
    let map = select(workspace, filter.file.as_deref())?;
    let path = map.path();
    if filter.file.is_some() && path.symlink_metadata().is_err() {
        return Err(SessionError::NoMap { path: path.to_owned() });
    }
    // The rows have diagnostics for other problems of the file, but not for these.
    let real = file::resolve(&*workspace.env.fs, &map);
    if let Err(error @ (SessionError::Dangling { .. } | SessionError::Link { .. })) = real {
        return Err(error);
    }
    let mode = mode(workspace, filter.lenient);
    let mut rows = session::rows_of(path, mode, &|mapping| filter.matches(mapping));
    check_directories(rows.rows.iter_mut().map(|row| &mut **row));
    Ok(Listing {
        threads: sorted(rows.rows, workspace.env.clock.now()),
        diagnostics: rows.diagnostics,
    })
}

/// Returns the short ids of all sessions of a map.
pub fn session_handles(workspace: &Workspace, file: Option<&Path>, lenient: bool) -> ShortIds {
    let mode = mode(workspace, lenient);
    let file = select(workspace, file);
    ShortIds::of_sessions(file.map_or_else(|_| Vec::new(), |file| session_ids(file.path(), mode)))
}

/// Returns a session of the given map, else of that of the workspace.
pub fn session_show(
    workspace: &Workspace,
    id: &str,
    file: Option<&Path>,
    lenient: bool,
) -> SessionResult<ThreadView> {
    let map = select(workspace, file)?;
    let path = map.path();
    let real = file::resolve(&RealFs, &map)?;
    let held = file::read(&RealFs, &real)?;
    let none = || SessionError::NoMap { path: path.to_owned() };
    let doc = held.ok_or_else(none)?.into_valid(path)?;
    let loaded = doc.load(mode(workspace, lenient));
    let mapping = find::one(&loaded.mappings, id)?.clone();
    let mut row = row(mapping, path);
    check_directories([&mut row]);
    Ok(ThreadView { row, body: ThreadBody::Session {} })
}

/// Returns the given map, else that of the workspace.
pub(super) fn select(workspace: &Workspace, file: Option<&Path>) -> SessionResult<MapPath> {
    match file {
        Some(file) => Ok(MapPath::named(file)),
        None => workspace.sessions.map.clone().ok_or(SessionError::NoHome),
    }
}

/// Returns how strictly a map is read: a flag or a setting includes invalid entries.
pub(super) fn mode(workspace: &Workspace, lenient: bool) -> Mode {
    if lenient { Mode::Lenient } else { workspace.settings.session_mode() }
}

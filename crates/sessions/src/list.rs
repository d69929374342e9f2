//! The sessions of a map as a list.

use std::path::PathBuf;

use skein_catalog::list::sorted;
use skein_catalog::rows::session;
use skein_catalog::rows::session::check_directories;
use skein_format::session::{Mapping, Mode};
use skein_model::view::{Listing, ThreadRow};
use skein_workspace::{Env, Workspace};

use super::error::SessionError;
use super::{file, path};

/// Which sessions are asked for; what is none lets all pass.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// The status.
    pub status: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// The map, where it is not the workspace's.
    pub file: Option<PathBuf>,
    /// Whether entries that break the contract are listed.
    pub lenient: bool,
}

impl SessionFilter {
    fn passes(&self, mapping: &Mapping<'_>) -> bool {
        let is =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|it| it == value);
        is(&self.status, mapping.status.as_str())
            && is(&self.project, &mapping.project_name)
            && is(&self.user, &mapping.mattermost_user_id)
    }
}

/// Lists sessions, the last active first, and says of each whether its directory is there.
pub fn session_list(
    workspace: &Workspace,
    env: &Env,
    filter: &SessionFilter,
) -> Result<Listing<Box<ThreadRow>>, SessionError> {
    let map = path::wanted(workspace, filter.file.as_deref())?;
    let path = map.path();
    if filter.file.is_some() && path.symlink_metadata().is_err() {
        return Err(SessionError::NoMap { path: path.to_owned() });
    }
    // Whatever else has the name of the map is among the findings; of a link that leads nowhere there are none.
    let real = file::real(&*env.fs, &map);
    if let Err(error @ (SessionError::Dangling { .. } | SessionError::Link { .. })) = real {
        return Err(error);
    }
    let mode = mode(workspace, filter.lenient);
    let mut rows = session::rows_of(path, mode, &|mapping| filter.passes(mapping));
    check_directories(rows.rows.iter_mut().map(|row| &mut **row));
    Ok(Listing { threads: sorted(rows.rows, env.clock.now()), diagnostics: rows.diagnostics })
}

/// Returns how strictly a map is read for people; entries that break the contract are asked for by a flag or a setting.
pub(super) fn mode(workspace: &Workspace, lenient: bool) -> Mode {
    if lenient { Mode::Lenient } else { workspace.settings.session_mode() }
}

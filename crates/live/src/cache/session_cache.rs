//! The sessions of the map, kept current after the first request.

use std::path::Path;
use std::sync::{Arc, Mutex};

use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_sessions::{SessionFilter, session_list};
use skein_store::Stamp;
use skein_workspace::Workspace;

use super::locked;
use crate::tracked_dir::is_unchanged;

/// The sessions of a workspace.
#[derive(Debug, Default)]
pub struct SessionList {
    /// The file that they are in; none if there is no home directory.
    pub file: Option<String>,
    /// Whether the file is there.
    pub exists: bool,
    /// The sessions, the last active first.
    pub sessions: Vec<ThreadRow>,
    /// What is wrong with the file and its entries.
    pub diagnostics: Vec<FileDiagnostic>,
    /// Why the file was not read.
    pub trouble: Option<String>,
}

/// The last list, and what the file was when it was read and when a change was last reported.
#[derive(Default)]
pub(super) struct SessionCache(pub(super) Mutex<CachedSessions>);

#[derive(Default)]
pub(super) struct CachedSessions {
    list: Option<(Option<Stamp>, Arc<SessionList>)>,
    /// None before the first look.
    reported: Option<Option<Stamp>>,
}

impl SessionCache {
    /// Returns the sessions, which are read if the file has changed.
    pub(super) fn get(&self, workspace: &Workspace) -> Arc<SessionList> {
        let mut cached = locked(&self.0);
        let now = stamp(workspace);
        cached.reported.get_or_insert(now);
        if let Some((earlier, list)) = &cached.list
            && is_unchanged(*earlier, now)
        {
            return list.clone();
        }
        let list = Arc::new(read(workspace));
        cached.list = Some((now, list.clone()));
        list
    }

    /// Remembers the state of the file that later changes are compared with, at the first call.
    pub(super) fn observe(&self, workspace: &Workspace) {
        locked(&self.0).reported.get_or_insert_with(|| stamp(workspace));
    }

    /// Returns whether the file may have been written since the last call.
    pub(super) fn has_changed(&self, workspace: &Workspace) -> bool {
        let now = stamp(workspace);
        let earlier = locked(&self.0).reported.replace(now);
        earlier.is_some_and(|earlier| !is_unchanged(earlier, now))
    }
}

fn stamp(workspace: &Workspace) -> Option<Stamp> {
    workspace.sessions.file().and_then(Stamp::from_path)
}

fn read(workspace: &Workspace) -> SessionList {
    let file = workspace.sessions.file();
    let mut list = SessionList {
        file: file.map(|file| file.display().to_string()),
        exists: file.is_some_and(|file: &Path| file.symlink_metadata().is_ok()),
        ..SessionList::default()
    };
    match session_list(workspace, &SessionFilter::default()) {
        Ok(listing) => {
            list.sessions = listing.threads.into_iter().map(|row| *row).collect();
            list.diagnostics = listing.diagnostics;
        }
        Err(error) => list.trouble = Some(error.to_string()),
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_one_browser_has_read_is_reported_to_the_others() {
        let fixture = skein_fixtures::Fixture::new();
        fixture.dir("here");
        fixture.sessions(&[]);
        let workspace = fixture.open("here");
        let cache = SessionCache::default();
        cache.observe(&workspace);
        let time = "2026-01-23T10:00:00.000Z";
        fixture.sessions(&[skein_fixtures::session("one", "active", time)]);
        assert_eq!(cache.get(&workspace).sessions.len(), 1);
        assert!(cache.has_changed(&workspace));
    }
}

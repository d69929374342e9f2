//! The sessions of the map, kept current once somebody has asked for them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_sessions::{SessionFilter, session_list};
use skein_store::Stamp;
use skein_workspace::{Env, Workspace};

use super::locked;

/// The sessions of a workspace.
#[derive(Debug, Default)]
pub struct SessionList {
    /// The file that they are in; none where there is no home directory.
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

/// The last roll, and what it was read from.
#[derive(Default)]
pub(super) struct SessionCache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    roll: Option<Arc<SessionList>>,
    /// What the file looked like before it was read; the outer none where nobody has looked.
    stamp: Option<Option<Stamp>>,
}

impl SessionCache {
    /// Returns the sessions, which are read where the file has changed.
    pub(super) fn get(&self, workspace: &Workspace, env: &Env) -> Arc<SessionList> {
        let mut kept = locked(&self.0);
        let stamp = stamp(workspace);
        if let Some(roll) = kept.roll.clone().filter(|_| kept.is_same(stamp)) {
            return roll;
        }
        let roll = Arc::new(read(workspace, env));
        *kept = Kept { roll: Some(roll.clone()), stamp: Some(stamp) };
        roll
    }

    /// Forgets everything, because it may be elsewhere.
    pub(super) fn clear(&self) {
        *locked(&self.0) = Kept::default();
    }

    /// Remembers what the file looks like, where that is not known yet.
    pub(super) fn observe(&self, workspace: &Workspace) {
        locked(&self.0).stamp.get_or_insert_with(|| stamp(workspace));
    }

    /// Returns whether the file may have been written since this was last asked, or since it was read.
    pub(super) fn has_changed(&self, workspace: &Workspace) -> bool {
        let mut kept = locked(&self.0);
        let stamp = stamp(workspace);
        if kept.is_same(stamp) {
            return false;
        }
        let is_known = kept.stamp.is_some();
        *kept = Kept { roll: None, stamp: Some(stamp) };
        is_known
    }
}

impl Kept {
    fn is_same(&self, now: Option<Stamp>) -> bool {
        match (self.stamp, now) {
            (Some(Some(earlier)), Some(now)) => now.proves(&earlier),
            (Some(None), None) => true,
            _ => false,
        }
    }
}

fn stamp(workspace: &Workspace) -> Option<Stamp> {
    workspace.sessions.file().and_then(Stamp::from_path)
}

fn read(workspace: &Workspace, env: &Env) -> SessionList {
    let file = workspace.sessions.file();
    let mut roll = SessionList {
        file: file.map(|file| file.display().to_string()),
        exists: file.is_some_and(|file: &Path| file.symlink_metadata().is_ok()),
        ..SessionList::default()
    };
    match session_list(workspace, env, &SessionFilter::default()) {
        Ok(listing) => {
            roll.sessions = listing.threads.into_iter().map(|row| *row).collect();
            roll.diagnostics = listing.diagnostics;
        }
        Err(error) => roll.trouble = Some(error.to_string()),
    }
    roll
}

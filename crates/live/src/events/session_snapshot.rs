//! The sessions of the map, as they were last seen.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_catalog::rows::session;
use skein_format::session::MapValidity;
use skein_model::view::{RowDetail, ThreadRow};
use skein_store::{ReadError, Stamp};

use super::event::ThreadEvent;
use super::store_snapshot::EventContext;
use super::thread_state::ThreadState;
use crate::tracked_dir::{hash, is_unchanged};

/// The sessions of the map.
pub(super) struct SessionSnapshot {
    pub(super) file: PathBuf,
    sessions: BTreeMap<String, ThreadState>,
    stamp: Option<Stamp>,
}

impl SessionSnapshot {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, sessions: BTreeMap::new(), stamp: None }
    }

    /// Returns how many sessions pass the filter.
    pub(super) fn count(&self) -> usize {
        self.sessions.values().filter(|seen| seen.passes).count()
    }

    /// Returns whether the map may have changed since it was last read.
    pub(super) fn is_suspect(&self) -> bool {
        !is_unchanged(self.stamp, Stamp::from_path(&self.file))
    }

    /// Reads the map, and returns the events of its sessions.
    ///
    /// A map that cannot be read gives no events: another program may be writing it.
    pub(super) fn read(&mut self, context: &EventContext<'_>) -> Vec<ThreadEvent> {
        let stamp = Stamp::from_path(&self.file);
        let rows = match session::map(&self.file) {
            Ok((doc, _)) if doc.soundness() == MapValidity::Sound => {
                let mappings = doc.load(context.settings.session_mode()).mappings.into_iter();
                mappings.map(|mapping| session::row(mapping, &self.file)).collect()
            }
            Err(ReadError::NotFound { .. }) => Vec::new(),
            _ => return Vec::new(),
        };
        self.stamp = stamp;
        self.compare(rows, context)
    }

    fn compare(&mut self, rows: Vec<ThreadRow>, context: &EventContext<'_>) -> Vec<ThreadEvent> {
        let mut events = Vec::new();
        let mut before = std::mem::take(&mut self.sessions);
        for row in rows {
            let state = state(row, context);
            let old = before.remove(&state.row.id);
            if state.passes {
                match &old {
                    Some(old) => events.extend(state.changes_since(old, context.now)),
                    None => events.push(state.created(context.now)),
                }
            }
            self.sessions.insert(state.row.id.clone(), state);
        }
        let file = self.file.display().to_string();
        for (id, old) in before.into_iter().filter(|(_, old)| old.passes) {
            events.push(old.removed("deleted", &id, file.clone(), context.now));
        }
        events
    }
}

/// Returns the state of a session; that it was active again is not reported.
fn state(row: ThreadRow, context: &EventContext<'_>) -> ThreadState {
    let hash = match &row.detail {
        RowDetail::Session(detail) => hash((
            &row.title,
            &row.status,
            (&detail.thread_root_post_id, &detail.short_id, &detail.mattermost_user_id),
            (&detail.dm_channel_id, &detail.project_name, &detail.directory),
            &detail.ended_at,
        )),
        _ => 0,
    };
    let passes = session::passes(&row, context.filter);
    ThreadState { row, hash, comments: Vec::new(), steps: Vec::new(), passes }
}

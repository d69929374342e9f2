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
    file: PathBuf,
    /// The sessions by id, each with a hash of everything whose change is reported.
    sessions: BTreeMap<String, (u64, ThreadState)>,
    stamp: Option<Stamp>,
}

impl SessionSnapshot {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, sessions: BTreeMap::new(), stamp: None }
    }

    /// Returns how many sessions pass the filter.
    pub(super) fn count(&self) -> usize {
        self.sessions.values().filter(|(_, seen)| seen.passes).count()
    }

    /// Reads the map if it may have changed, and returns the events of its sessions.
    ///
    /// A map that cannot be read gives no events: another program may be writing it.
    pub(super) fn refresh(&mut self, context: &EventContext<'_>) -> Vec<ThreadEvent> {
        let stamp = Stamp::from_path(&self.file);
        if is_unchanged(self.stamp, stamp) {
            return Vec::new();
        }
        let rows = match session::map(&self.file) {
            Ok((doc, _)) if doc.soundness() == MapValidity::Sound => {
                let mode = context.workspace.settings.session_mode();
                let mappings = doc.load(mode).mappings.into_iter();
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
            let (hash, passes) = (hash_of(&row), session::passes(&row, context.filter));
            let state = ThreadState { row, comments: Vec::new(), steps: Vec::new(), passes };
            let old = before.remove(&state.row.id);
            if passes && old.as_ref().is_none_or(|(earlier, _)| *earlier != hash) {
                let old = old.map(|(_, old)| old);
                events.extend(state.events_since(old.as_ref(), context.now));
            }
            self.sessions.insert(state.row.id.clone(), (hash, state));
        }
        let file = self.file.display().to_string();
        for (id, (_, old)) in before.into_iter().filter(|(_, (_, old))| old.passes) {
            events.push(old.removed("deleted", &id, file.clone(), context.now));
        }
        events
    }
}

/// Returns a hash of everything whose change is reported; that a session was active again is not.
fn hash_of(row: &ThreadRow) -> u64 {
    let RowDetail::Session(detail) = &row.detail else { return 0 };
    hash((
        &row.title,
        &row.status,
        (&detail.thread_root_post_id, &detail.short_id, &detail.mattermost_user_id),
        (&detail.dm_channel_id, &detail.project_name, &detail.directory),
        &detail.ended_at,
    ))
}

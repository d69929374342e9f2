//! The sessions of the map, as they were last seen.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_catalog::rows::session;
use skein_format::session::MapValidity;
use skein_model::Kind;
use skein_model::view::{RowDetail, ThreadRow};
use skein_store::{ReadError, Stamp};

use super::event::ThreadEvent;
use super::store_snapshot::EventContext;
use super::thread_state::{ThreadContent, ThreadState, hash};

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

    /// Returns how many sessions there are that are asked for.
    pub(super) fn count(&self) -> usize {
        self.sessions.values().filter(|seen| seen.passes).count()
    }

    /// Returns whether the map may have changed since it was last read.
    pub(super) fn is_suspect(&self) -> bool {
        match (Stamp::from_path(&self.file), self.stamp) {
            (Some(stamp), Some(earlier)) => !stamp.proves(&earlier),
            (None, None) => false,
            _ => true,
        }
    }

    /// Reads the map, and tells what happened to its sessions.
    ///
    /// A map that makes no sense tells nothing: another program may be writing it, or will mend it.
    pub(super) fn look(&mut self, judge: &EventContext<'_>) -> Vec<ThreadEvent> {
        let stamp = Stamp::from_path(&self.file);
        let rows = match session::map(&self.file) {
            Ok((doc, _)) if doc.soundness() == MapValidity::Sound => {
                let path = self.file.display().to_string();
                let mappings = doc.load(judge.settings.session_mode()).mappings.into_iter();
                mappings.map(|mapping| session::row(mapping, &path)).collect()
            }
            Err(ReadError::NotFound { .. }) => Vec::new(),
            _ => return Vec::new(),
        };
        self.stamp = stamp;
        self.compare(rows, judge)
    }

    fn compare(&mut self, rows: Vec<ThreadRow>, judge: &EventContext<'_>) -> Vec<ThreadEvent> {
        let mut events = Vec::new();
        let mut before = std::mem::take(&mut self.sessions);
        for row in rows {
            let said = said(row, judge);
            let old = before.remove(&said.row.id);
            if said.passes {
                match &old {
                    Some(old) => events.extend(said.since(old, judge.now)),
                    None => events.push(said.news(judge.now)),
                }
            }
            self.sessions.insert(said.row.id.clone(), said.seen());
        }
        let file = self.file.display().to_string();
        for (id, seen) in before.into_iter().filter(|(_, seen)| seen.passes) {
            events.push(seen.gone("deleted", Kind::Session, &id, file.clone(), judge.now));
        }
        events
    }
}

/// That a session was active again is no news, so that it does not count.
fn said(row: ThreadRow, judge: &EventContext<'_>) -> ThreadContent {
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
    let passes = session::passes(&row, judge.filter);
    ThreadContent { row, hash, comments: Vec::new(), steps: Vec::new(), passes }
}

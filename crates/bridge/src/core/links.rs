//! Keeps the reviews and checkpoints in the descriptions of sessions up to date.

use std::collections::BTreeMap;

use super::Core;
use super::action::BridgeAction;
use super::ids::SessionId;
use super::record::JournalRecord;
use super::state::ThreadStatus;

/// After a restart, the descriptions of sessions that were active since are brought up to date.
const MAX_AGE: u64 = 7 * 24 * 60 * 60_000;

impl Core {
    /// Asks for the reviews and checkpoints of a session.
    pub(super) fn fetch_links(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        if thread.status == ThreadStatus::Open {
            let (directory, sessions) = (thread.directory.clone(), vec![session.clone()]);
            self.act(BridgeAction::FetchLinks { directory, sessions });
        }
    }

    /// Asks for those of all sessions, once after the start.
    pub(super) fn fetch_all_links(&mut self) {
        if std::mem::replace(&mut self.are_links_fetched, true) {
            return;
        }
        let oldest = self.now.minus(MAX_AGE);
        let mut directories: BTreeMap<String, Vec<SessionId>> = BTreeMap::new();
        for thread in self.state.threads.values() {
            let is_recent = thread.seen.max(thread.created) >= oldest;
            if thread.status == ThreadStatus::Open && is_recent {
                let sessions = directories.entry(thread.directory.clone()).or_default();
                sessions.push(thread.session.clone());
            }
        }
        for (directory, sessions) in directories {
            self.act(BridgeAction::FetchLinks { directory, sessions });
        }
    }

    pub(super) fn on_links(&mut self, sessions: &[SessionId], text: &str) {
        for session in sessions {
            let thread = self.state.threads.get(session);
            if thread.is_some_and(|thread| thread.links != text) {
                let links = text.to_owned();
                self.record(JournalRecord::Linked { session: session.clone(), links });
                self.refresh(session);
            }
        }
    }
}

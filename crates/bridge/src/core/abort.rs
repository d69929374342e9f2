//! Stops turns when a user asks.

use super::Core;
use super::action::BridgeAction;
use super::ids::SessionId;
use super::record::JournalRecord;

impl Core {
    /// Stops what the agent is doing. The order to stop is recorded, so that it is not lost if the request fails.
    pub(super) fn abort(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let directory = thread.directory.clone();
        if let Some((id, _)) = thread.turns.last_key_value() {
            let (session, id) = (session.clone(), id.clone());
            self.record(JournalRecord::AbortRequested { session, id });
        }
        self.act(BridgeAction::Abort { session: session.clone(), directory });
    }

    /// Stops a turn again that the agent still works on: the first request did not arrive.
    pub(super) fn repeat_abort(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let is_busy = self.live.get(session).is_some_and(|live| live.is_busy);
        let newest = thread.turns.last_key_value();
        if is_busy && newest.is_some_and(|(_, turn)| turn.is_aborted) {
            let directory = thread.directory.clone();
            self.act(BridgeAction::Abort { session: session.clone(), directory });
        }
    }
}

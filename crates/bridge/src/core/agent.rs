//! Takes events of OpenCode, and compares with its state after a gap.

use std::collections::BTreeMap;

use super::ids::SessionId;
use super::input::{AgentEvent, AgentSnapshot, SessionInfo};
use super::state::{PromptState, ThreadStatus};
use super::{BridgeAction, Core};

impl Core {
    pub(super) fn on_agent(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Connected { instance } => {
                self.note_gap();
                self.connecting = Some(instance);
                self.fetch_agent();
            }
            AgentEvent::Disconnected => self.note_gap(),
            AgentEvent::Session(info) => self.on_session(&info),
            AgentEvent::SessionDeleted(session) => self.on_session_deleted(&session),
            AgentEvent::Message(info) => self.on_message(info),
            AgentEvent::MessageRemoved { session, message } => {
                self.on_part_removed(&session, &message, None);
            }
            AgentEvent::Part(part) => self.on_part(part),
            AgentEvent::Delta { session, message, part, text } => {
                self.on_delta(&session, message, part, &text);
            }
            AgentEvent::PartRemoved { session, message, part } => {
                self.on_part_removed(&session, &message, Some(&part));
            }
            AgentEvent::Asked(request) => self.on_asked(&request),
            AgentEvent::AskClosed { id, reply } => self.on_ask_closed(&id, &reply),
            AgentEvent::Status { session, is_busy } => self.on_status(&session, is_busy),
            AgentEvent::Error { session, message } => {
                self.on_error(&session, message.as_deref());
            }
        }
    }

    /// Events can be missing from now on, until the state of OpenCode is fetched.
    fn note_gap(&mut self) {
        self.instance = None;
        self.connecting = None;
        self.connection += 1;
        for live in self.live.values_mut() {
            live.note_gap();
        }
    }

    pub(super) fn fetch_agent(&mut self) {
        if self.instance.is_some() || self.connecting.is_some() {
            self.fresh_asks.clear();
            self.act(BridgeAction::FetchAgent { connection: self.connection });
        }
    }

    pub(super) fn on_snapshot(&mut self, snapshot: &AgentSnapshot) {
        self.instance = self.connecting.take().or(self.instance.take());
        if self.instance.is_none() {
            return;
        }
        for info in &snapshot.sessions {
            self.on_session(info);
        }
        self.forget_threads(&snapshot.sessions);
        let starts: Vec<_> = self.state.starts.keys().cloned().collect();
        for post in starts {
            self.create_session(&post);
        }
        self.compare_asks(&snapshot.asks);
        self.fetch_all_links();
        let infos: BTreeMap<_, _> = snapshot.sessions.iter().map(|info| (&info.id, info)).collect();
        let sessions: Vec<_> = self.state.threads.keys().cloned().collect();
        for session in sessions {
            let info = infos.get(&session).copied();
            if self.is_outdated(&session, info, snapshot.busy.contains(&session)) {
                let live = self.live.entry(session.clone()).or_default();
                live.updated = info.map_or(live.updated, |info| info.updated);
                self.sync_session(&session);
            }
        }
    }

    /// Returns whether the messages of a session have to be fetched.
    fn is_outdated(&self, session: &SessionId, info: Option<&SessionInfo>, is_busy: bool) -> bool {
        let Some(thread) = self.state.threads.get(session) else { return false };
        if self.live.get(session).is_some_and(|live| live.is_synced) {
            return false;
        }
        let is_changed =
            info.is_none_or(|info| info.updated > thread.seen || thread.seen > self.clock_time());
        let has_prompts = self
            .prompts_of(session)
            .iter()
            .any(|(_, prompt)| !matches!(prompt.state, PromptState::Doubtful));
        let is_open = thread.status == ThreadStatus::Open;
        is_open && (is_changed || is_busy || has_prompts || !thread.turns.is_empty())
    }
}

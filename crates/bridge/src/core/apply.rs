//! Applies records to the durable state.

use super::ids::{ChannelId, Key, Millis, PostId, SessionId};
use super::record::JournalRecord;
use super::slot::Slot;
use super::state::{
    Ask, BridgeState, HANDLED_OVERLAP, Handled, Planned, Prompt, PromptState, Thread,
};

impl BridgeState {
    /// Builds the state that the records of a journal describe.
    pub fn from_records<'a>(records: impl IntoIterator<Item = &'a JournalRecord>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.apply(record);
        }
        state
    }

    /// Changes the state. Nothing else does.
    pub fn apply(&mut self, record: &JournalRecord) {
        match record {
            JournalRecord::Started { at } => self.started = Some(*at),
            JournalRecord::Position { channel, at } => self.move_position(channel, *at),
            JournalRecord::Handled { post, channel, created, hash } => {
                let handled = Handled { channel: channel.clone(), created: *created, hash: *hash };
                self.handled.insert(post.clone(), handled);
            }
            JournalRecord::Refused { user, at } => {
                self.refused.insert(user.clone(), *at);
            }
            JournalRecord::StartRequested { post, start } => {
                self.starts.insert(post.clone(), start.clone());
            }
            JournalRecord::StartEnded { post } => {
                self.starts.remove(post);
            }
            JournalRecord::Snapshot(state) => *self = (**state).clone(),
            JournalRecord::Asked(request) => {
                self.asks.insert(request.id.clone(), Ask::new(request.clone()));
            }
            record => {
                self.apply_to_thread(record);
                self.apply_to_prompt(record);
                self.apply_to_post(record);
                self.apply_to_ask(record);
            }
        }
    }

    fn move_position(&mut self, channel: &ChannelId, at: Millis) {
        let position = self.positions.entry(channel.clone()).or_default();
        *position = at.max(*position);
        let oldest = position.minus(HANDLED_OVERLAP);
        // An edit of a prompt that is not answered still matters.
        let prompts = &self.prompts;
        self.handled.retain(|post, one| {
            one.channel != *channel || one.created >= oldest || prompts.contains_key(post)
        });
    }

    fn apply_to_thread(&mut self, record: &JournalRecord) {
        let (JournalRecord::Titled { session, .. }
        | JournalRecord::Moved { session, .. }
        | JournalRecord::Linked { session, .. }
        | JournalRecord::AbortRequested { session, .. }
        | JournalRecord::ThreadStatus { session, .. }
        | JournalRecord::ModelSet { session, .. }
        | JournalRecord::AgentSet { session, .. }
        | JournalRecord::Muted { session, .. }
        | JournalRecord::Invited { session, .. }
        | JournalRecord::Kicked { session, .. }
        | JournalRecord::TurnOpened { session, .. }
        | JournalRecord::TurnClosed { session, .. }
        | JournalRecord::Seen { session, .. }) = record
        else {
            match record {
                JournalRecord::ThreadOpened(thread) => self.open_thread(thread),
                JournalRecord::ThreadForgotten { session } => {
                    self.forget_root(session);
                    self.threads.remove(session);
                    self.asks.retain(|_, ask| ask.request.session != *session);
                }
                _ => {}
            }
            return;
        };
        let Some(thread) = self.threads.get_mut(session) else { return };
        match record {
            JournalRecord::Titled { title, .. } => thread.title.clone_from(title),
            JournalRecord::Moved { directory, .. } => thread.directory.clone_from(directory),
            JournalRecord::Linked { links, .. } => thread.links.clone_from(links),
            JournalRecord::AbortRequested { id, .. } => {
                if let Some(turn) = thread.turns.get_mut(id) {
                    turn.is_aborted = true;
                }
            }
            JournalRecord::ThreadStatus { status, at, .. } => {
                (thread.status, thread.status_at) = (*status, *at);
            }
            JournalRecord::ModelSet { model, .. } => thread.model.clone_from(model),
            JournalRecord::AgentSet { agent, .. } => thread.agent.clone_from(agent),
            JournalRecord::Muted { is_muted, .. } => thread.is_muted = *is_muted,
            JournalRecord::Invited { user, name, .. } => {
                thread.invited.insert(user.clone());
                if !name.is_empty() {
                    self.names.insert(user.clone(), name.clone());
                }
            }
            JournalRecord::Kicked { user, .. } => {
                thread.invited.remove(user);
            }
            JournalRecord::TurnOpened { id, turn, .. } => {
                thread.turns.insert(id.clone(), turn.clone());
            }
            JournalRecord::Seen { at, .. } => thread.seen = *at,
            JournalRecord::TurnClosed { id, .. } => {
                thread.turns.remove(id);
                thread.closed = thread.closed.take().max(Some(id.clone()));
                self.posts.retain(|_, post| post.slot.turn().is_none_or(|of| of != (session, id)));
            }
            _ => {}
        }
    }

    fn open_thread(&mut self, thread: &Thread) {
        self.forget_root(&thread.session);
        if let Some(root) = &thread.root {
            self.roots.insert(root.clone(), thread.session.clone());
            self.starts.remove(root);
        }
        self.threads.insert(thread.session.clone(), thread.clone());
    }

    /// Forgets the first post of a session's thread, and what was to be written below it.
    fn forget_root(&mut self, session: &SessionId) {
        self.posts.remove(&Slot::Session(session.clone()).key());
        let root = self.threads.get_mut(session).and_then(|thread| thread.root.take());
        if let Some(root) = root {
            self.roots.remove(&root);
            self.prompts.retain(|_, prompt| prompt.root != root);
            self.posts.retain(|_, post| post.place.root.as_ref() != Some(&root));
        }
    }

    fn apply_to_prompt(&mut self, record: &JournalRecord) {
        match record {
            JournalRecord::PromptReceived { post, prompt } => {
                let prompt = Prompt { number: self.next, ..prompt.clone() };
                self.next += 1;
                self.prompts.insert(post.clone(), prompt);
            }
            JournalRecord::PromptEnded { post } => {
                self.prompts.remove(post);
            }
            JournalRecord::PromptEdited { post, body, hash } => {
                if let Some(handled) = self.handled.get_mut(post) {
                    handled.hash = Some(*hash);
                }
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.body = body.clone();
                }
            }
            JournalRecord::PromptSending { post, message, instance, at } => {
                let (message, instance) = (message.clone(), instance.clone());
                let state = PromptState::Sending { message, instance, at: *at };
                self.set_prompt_state(post, state);
            }
            JournalRecord::PromptAccepted { post } => {
                let Some(prompt) = self.prompts.get_mut(post) else { return };
                if let PromptState::Sending { message, instance, .. } = &prompt.state {
                    let (message, instance) = (message.clone(), instance.clone());
                    prompt.state = PromptState::Accepted { message, instance };
                }
            }
            JournalRecord::PromptUnsent { post } => {
                self.set_prompt_state(post, PromptState::Waiting);
            }
            JournalRecord::PromptDoubtful { post, at } => {
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.doubted = *at;
                    prompt.state = PromptState::Doubtful;
                }
            }
            JournalRecord::PromptRetried { post } => {
                self.set_prompt_state(post, PromptState::Waiting);
                let number = self.next;
                self.next += 1;
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.number = number;
                    prompt.retries += 1;
                }
            }
            _ => {}
        }
    }

    fn apply_to_ask(&mut self, record: &JournalRecord) {
        let (JournalRecord::AskHidden { id, .. }
        | JournalRecord::Answering { id, .. }
        | JournalRecord::AnswerRefused { id, .. }
        | JournalRecord::AskEnded { id, .. }) = record
        else {
            return;
        };
        let Some(ask) = self.asks.get_mut(id) else { return };
        match record {
            JournalRecord::AskHidden { reason, .. } => ask.hidden = Some(reason.clone()),
            JournalRecord::Answering { reply, user, .. } => {
                ask.answer = Some((reply.clone(), user.clone()));
                ask.refusal = None;
            }
            JournalRecord::AnswerRefused { reason, .. } => {
                (ask.answer, ask.refusal) = (None, Some(reason.clone()));
            }
            JournalRecord::AskEnded { result, .. } => ask.result = Some(result.clone()),
            _ => {}
        }
    }

    fn set_prompt_state(&mut self, post: &PostId, state: PromptState) {
        if let Some(prompt) = self.prompts.get_mut(post) {
            prompt.state = state;
        }
    }

    fn apply_to_post(&mut self, record: &JournalRecord) {
        match record {
            JournalRecord::PostPlanned { slot, place } => {
                let (slot, place) = (slot.clone(), place.clone());
                let key = slot.key();
                let planned = Planned {
                    slot,
                    place,
                    number: self.next,
                    post: None,
                    created: None,
                    is_gone: false,
                };
                self.next += 1;
                self.posts.insert(key, planned);
            }
            JournalRecord::PostCreated { key, post, created } => {
                self.create_post(key, post, *created);
            }
            JournalRecord::PostGone { key } => {
                if let Some(planned) = self.posts.get_mut(key) {
                    planned.is_gone = true;
                }
            }
            JournalRecord::PostSettled { key } => {
                self.posts.remove(key);
                self.asks.retain(|id, _| Slot::Ask(id.clone()).key() != *key);
            }
            _ => {}
        }
    }

    fn create_post(&mut self, key: &Key, post: &PostId, created: Millis) {
        let Some(planned) = self.posts.get_mut(key) else { return };
        (planned.post, planned.created) = (Some(post.clone()), Some(created));
        let is_root = planned.place.root.is_none();
        match &planned.slot {
            Slot::Session(session) if is_root => {
                let session = session.clone();
                planned.place.root = Some(post.clone());
                if let Some(thread) = self.threads.get_mut(&session) {
                    thread.root = Some(post.clone());
                    self.roots.insert(post.clone(), session);
                }
            }
            Slot::Note { .. } | Slot::Text { .. } | Slot::File { .. } => {
                self.posts.remove(key);
            }
            _ => {}
        }
    }
}

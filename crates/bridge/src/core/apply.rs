//! Applies records to the durable state.

use super::ids::{ChannelId, Key, PostId, Time};
use super::record::Record;
use super::slot::Slot;
use super::state::{Ask, HANDLED_OVERLAP, Handled, Planned, Prompt, PromptState, State, Thread};

impl State {
    /// Builds the state that the records of a journal describe.
    pub fn from_records<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.apply(record);
        }
        state
    }

    /// Changes the state. Nothing else does.
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Started { at } => self.started = Some(*at),
            Record::Position { channel, at } => self.move_position(channel, *at),
            Record::Handled { post, channel, created, hash } => {
                let handled = Handled { channel: channel.clone(), created: *created, hash: *hash };
                self.handled.insert(post.clone(), handled);
            }
            Record::Refused { user, at } => {
                self.refused.insert(user.clone(), *at);
            }
            Record::StartRequested { post, start } => {
                self.starts.insert(post.clone(), start.clone());
            }
            Record::StartEnded { post } => {
                self.starts.remove(post);
            }
            Record::Snapshot(state) => *self = (**state).clone(),
            Record::Asked(request) => {
                let ask = Ask { request: request.clone(), answer: None, result: None };
                self.asks.insert(request.id.clone(), ask);
            }
            Record::Answering { id, reply, user } => {
                if let Some(ask) = self.asks.get_mut(id) {
                    ask.answer = Some((reply.clone(), user.clone()));
                }
            }
            Record::AskEnded { id, result } => {
                if let Some(ask) = self.asks.get_mut(id) {
                    ask.result = Some(result.clone());
                }
            }
            record => {
                self.apply_to_thread(record);
                self.apply_to_prompt(record);
                self.apply_to_post(record);
            }
        }
    }

    fn move_position(&mut self, channel: &ChannelId, at: Time) {
        let position = self.positions.entry(channel.clone()).or_default();
        *position = at.max(*position);
        let oldest = position.minus(HANDLED_OVERLAP);
        self.handled.retain(|_, one| one.channel != *channel || one.created >= oldest);
    }

    fn apply_to_thread(&mut self, record: &Record) {
        let (Record::Titled { session, .. }
        | Record::Linked { session, .. }
        | Record::AbortRequested { session, .. }
        | Record::ThreadStatus { session, .. }
        | Record::ModelSet { session, .. }
        | Record::AgentSet { session, .. }
        | Record::Muted { session, .. }
        | Record::Invited { session, .. }
        | Record::Kicked { session, .. }
        | Record::TurnOpened { session, .. }
        | Record::TurnClosed { session, .. }
        | Record::Seen { session, .. }) = record
        else {
            if let Record::ThreadOpened(thread) = record {
                self.open_thread(thread);
            }
            return;
        };
        let Some(thread) = self.threads.get_mut(session) else { return };
        match record {
            Record::Titled { title, .. } => thread.title.clone_from(title),
            Record::Linked { links, .. } => thread.links.clone_from(links),
            Record::AbortRequested { id, .. } => {
                if let Some(turn) = thread.turns.get_mut(id) {
                    turn.is_aborted = true;
                }
            }
            Record::ThreadStatus { status, .. } => thread.status = *status,
            Record::ModelSet { model, .. } => thread.model.clone_from(model),
            Record::AgentSet { agent, .. } => thread.agent.clone_from(agent),
            Record::Muted { is_muted, .. } => thread.is_muted = *is_muted,
            Record::Invited { user, .. } => {
                thread.invited.insert(user.clone());
            }
            Record::Kicked { user, .. } => {
                thread.invited.remove(user);
            }
            Record::TurnOpened { id, turn, .. } => {
                thread.turns.insert(id.clone(), turn.clone());
            }
            Record::Seen { at, .. } => thread.seen = *at,
            Record::TurnClosed { id, .. } => {
                thread.turns.remove(id);
                thread.closed = thread.closed.take().max(Some(id.clone()));
                self.posts.retain(|_, post| post.slot.turn().is_none_or(|of| of != (session, id)));
            }
            _ => {}
        }
    }

    fn open_thread(&mut self, thread: &Thread) {
        if let Some(root) = &thread.root {
            self.roots.insert(root.clone(), thread.session.clone());
            self.starts.remove(root);
        }
        self.threads.insert(thread.session.clone(), thread.clone());
    }

    fn apply_to_prompt(&mut self, record: &Record) {
        match record {
            Record::PromptReceived { post, prompt } => {
                let prompt = Prompt { number: self.next, ..prompt.clone() };
                self.next += 1;
                self.prompts.insert(post.clone(), prompt);
            }
            Record::PromptEnded { post } => {
                self.prompts.remove(post);
            }
            Record::PromptEdited { post, body, hash } => {
                if let Some(handled) = self.handled.get_mut(post) {
                    handled.hash = Some(*hash);
                }
                if let Some(prompt) = self.prompts.get_mut(post) {
                    prompt.body = body.clone();
                }
            }
            Record::PromptSending { post, message, instance, at } => {
                let (message, instance) = (message.clone(), instance.clone());
                let state = PromptState::Sending { message, instance, at: *at };
                self.set_prompt_state(post, state);
            }
            Record::PromptAccepted { post } => {
                let Some(prompt) = self.prompts.get_mut(post) else { return };
                if let PromptState::Sending { message, instance, .. } = &prompt.state {
                    let (message, instance) = (message.clone(), instance.clone());
                    prompt.state = PromptState::Accepted { message, instance };
                }
            }
            Record::PromptUnsent { post } => self.set_prompt_state(post, PromptState::Waiting),
            Record::PromptDoubtful { post } => self.set_prompt_state(post, PromptState::Doubtful),
            Record::PromptRetried { post } => {
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

    fn set_prompt_state(&mut self, post: &PostId, state: PromptState) {
        if let Some(prompt) = self.prompts.get_mut(post) {
            prompt.state = state;
        }
    }

    fn apply_to_post(&mut self, record: &Record) {
        match record {
            Record::PostPlanned { slot, place } => {
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
            Record::PostCreated { key, post, created } => self.create_post(key, post, *created),
            Record::PostGone { key } => {
                if let Some(planned) = self.posts.get_mut(key) {
                    planned.is_gone = true;
                }
            }
            Record::PostSettled { key } => {
                self.posts.remove(key);
                self.asks.retain(|id, _| Slot::Ask(id.clone()).key() != *key);
            }
            _ => {}
        }
    }

    fn create_post(&mut self, key: &Key, post: &PostId, created: Time) {
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

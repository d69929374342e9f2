//! Follows the turns of a session: when they start, when they are answered, when they are lost.

use super::ids::{Key, MessageId, Millis, PartId, PostId, SessionId};
use super::input::{AgentError, Body, MessageInfo, MessagePart};
use super::live::Live;
use super::record::JournalRecord;
use super::state::{PromptState, Thread, ThreadStatus, Turn};
use super::{BridgeAction, Core, RETRY_INTERVAL, Timer};

/// Time without an event after which the messages of an unfinished turn are fetched: while the
/// agent works, and while it does not. Each fetch without news doubles it.
const BUSY_INTERVAL: u64 = 60_000;
const IDLE_INTERVAL: u64 = 3_000;
const MAX_BUSY_DOUBLINGS: u32 = 4;
/// How often the messages of a session that does not work are fetched before its turn is given up.
const MAX_RECHECKS: u32 = 5;
/// Time in which a request that was not confirmed can still arrive at OpenCode.
pub(super) const ARRIVAL_TIMEOUT: u64 = 15_000;

/// Time after a change of a session in which it can change again without a later time.
const CHANGE_INTERVAL: u64 = 1_000;

const DOUBT: &str =
    "It is not certain that OpenCode has this prompt: it was restarted at that moment.";
const COMMAND_DOUBT: &str = "It is not certain that OpenCode has this command.";
const INTERRUPTED: &str = "OpenCode was restarted before it finished this answer.";
const UNANSWERED: &str = "OpenCode stopped working on this prompt before the answer was complete.";

impl Core {
    /// Returns what is known of a session, if it has a thread that shows it.
    fn live(&mut self, session: &SessionId) -> Option<(&Thread, &mut Live)> {
        let thread = self.state.threads.get(session)?;
        if thread.status.is_over() {
            return None;
        }
        let live = self.live.entry(session.clone()).or_default();
        live.active = self.now;
        live.rechecks = 0;
        Some((thread, live))
    }

    pub(super) fn on_message(&mut self, info: MessageInfo) {
        let session = info.session.clone();
        self.take_message(info);
        self.touch(&session);
        self.refresh_later(&session);
        self.check_finished(&session, false);
    }

    fn take_message(&mut self, info: MessageInfo) {
        let (session, id) = (info.session.clone(), info.id.clone());
        let turn = info.parent.clone().unwrap_or_else(|| id.clone());
        let Some((thread, live)) = self.live(&session) else { return };
        live.last_message = live.last_message.take().max(Some(id.clone()));
        let is_open = thread.turns.contains_key(&turn);
        let is_closed = thread.closed.as_ref().is_some_and(|closed| turn <= *closed);
        if !is_open && (is_closed || info.created < thread.baseline) {
            return;
        }
        let is_user = info.parent.is_none();
        live.set_message(info);
        if is_user {
            self.accept_prompt(&session, &id);
        }
        self.open_turn(&session, &turn);
    }

    /// Opens a turn of which the first message is known.
    pub(super) fn open_turn(&mut self, session: &SessionId, id: &MessageId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let is_closed = thread.closed.as_ref().is_some_and(|closed| id <= closed);
        if is_closed || thread.turns.contains_key(id) {
            return;
        }
        let prompt = self.state.prompts.values().find(|prompt| prompt.message() == Some(id));
        let is_from_thread = prompt.is_some();
        // It can begin before the state of the instance is known.
        let instance = prompt.and_then(|prompt| prompt.instance().cloned());
        let instance =
            instance.or_else(|| self.instance.clone()).or_else(|| self.connecting.clone());
        let instance = instance.unwrap_or_default();
        let turn = Turn { instance, is_from_thread, is_aborted: false };
        self.record(JournalRecord::TurnOpened { session: session.clone(), id: id.clone(), turn });
        self.watch(session);
    }

    pub(super) fn on_part(&mut self, part: MessagePart) {
        let session = part.session.clone();
        let Some((_, live)) = self.live(&session) else { return };
        live.set_part(part, false);
        self.refresh_later(&session);
    }

    pub(super) fn on_delta(
        &mut self,
        session: &SessionId,
        message: MessageId,
        part: PartId,
        text: &str,
    ) {
        let Some((_, live)) = self.live(session) else { return };
        live.append(message, part, text);
        self.refresh_later(session);
    }

    pub(super) fn on_part_removed(
        &mut self,
        session: &SessionId,
        message: &MessageId,
        part: Option<&PartId>,
    ) {
        let Some((_, live)) = self.live(session) else { return };
        live.parts.retain(|(of, id), _| of != message || part.is_some_and(|part| id != part));
        if part.is_none() {
            live.messages.remove(message);
        }
        self.refresh_later(session);
    }

    pub(super) fn on_status(&mut self, session: &SessionId, is_busy: bool) {
        let Some((_, live)) = self.live(session) else { return };
        (live.is_busy, live.has_status) = (is_busy, true);
        self.check_finished(session, false);
        self.advance(session);
        self.watch(session);
    }

    /// Takes the error of a turn. `None` is an abort.
    pub(super) fn on_error(&mut self, session: &SessionId, message: Option<&str>) {
        let Some((thread, live)) = self.live(session) else { return };
        let Some((turn, _)) = thread.turns.last_key_value() else { return };
        // The error of a message is shown with it.
        if live.answers(turn).next().is_none() {
            live.errors.insert(turn.clone(), message.unwrap_or("Aborted").to_owned());
        }
        self.refresh_later(session);
        self.check_finished(session, false);
    }

    /// Shows new text, unless the last edit is too recent.
    fn refresh_later(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let Some(root) = &thread.root else { return };
        let lane = Key::from(root.as_str());
        // The first text of an answer does not wait.
        let newest = thread.turns.last_key_value().map(|(turn, _)| turn);
        let first = newest.map(|turn| super::Slot::answer_key(turn, 0));
        let is_first = first.is_some_and(|first| !self.state.posts.contains_key(&first));
        if is_first || self.is_lane_free(&lane) {
            self.refresh_lane(&lane);
        }
    }

    /// Ends the turns of a session when the agent does not work on them any more.
    fn check_finished(&mut self, session: &SessionId, is_fetched: bool) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let Some(live) = self.live.get_mut(session) else { return };
        let Some((newest, _)) = thread.turns.last_key_value() else { return };
        if live.is_busy || !live.is_synced || !live.is_answered(newest) {
            return;
        }
        // The last event of a text that is not finished was missed.
        let is_open = thread.turns.keys().any(|turn| live.has_open_text(turn));
        if is_open && !is_fetched {
            self.sync_session(session);
            return;
        }
        self.finish_turns(session);
    }

    fn finish_turns(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let turns: Vec<_> = thread.turns.keys().cloned().collect();
        if let Some(live) = self.live.get_mut(session) {
            live.finished.extend(turns.iter().cloned());
            live.finish_parts();
        }
        for turn in &turns {
            if let Some(post) = self.prompt_of(turn) {
                self.record(JournalRecord::PromptEnded { post });
            }
        }
        self.fetch_links(session);
        self.advance(session);
        self.refresh(session);
        self.watch(session);
    }

    /// Returns the prompt that was sent with an id.
    pub(super) fn prompt_of(&self, message: &MessageId) -> Option<PostId> {
        let mut prompts = self.state.prompts.iter();
        let found = prompts.find(|(_, prompt)| prompt.message() == Some(message));
        found.map(|(post, _)| post.clone())
    }

    /// Closes the finished turns of a session whose posts show all of the answer.
    pub(super) fn close_turns(&mut self, session: &SessionId) {
        loop {
            let Some(thread) = self.state.threads.get(session) else { return };
            let Some((id, _)) = thread.turns.first_key_value() else { return };
            let Some(live) = self.live.get(session) else { return };
            let mut posts = self.state.posts.values();
            let is_open = posts.any(|post| {
                post.slot.turn() == Some((session, id)) && !post.is_gone && !self.is_settled(post)
            });
            if is_open || !live.finished.contains(id) {
                return;
            }
            let id = id.clone();
            if let Some(live) = self.live.get_mut(session) {
                live.forget_turn(&id);
            }
            self.record(JournalRecord::TurnClosed { session: session.clone(), id });
        }
    }

    /// Fetches the messages of a session, if they are not known.
    pub(super) fn sync_session(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        if self.instance.is_none() || thread.status != ThreadStatus::Open {
            return;
        }
        let since = thread.turns.first_key_value().map(|(id, _)| id).or(thread.closed.as_ref());
        let (directory, since) = (thread.directory.clone(), since.cloned());
        let live = self.live.entry(session.clone()).or_default();
        if !live.is_fetching {
            live.is_fetching = true;
            live.has_status = false;
            let (connection, session) = (self.connection, session.clone());
            self.act(BridgeAction::FetchMessages { connection, session, directory, since });
        }
    }

    pub(super) fn on_messages(
        &mut self,
        session: &SessionId,
        is_busy: bool,
        messages: Vec<(MessageInfo, Vec<MessagePart>)>,
    ) {
        let rechecks = self.live.get(session).map_or(0, |live| live.rechecks);
        if self.instance.is_none() || !self.live.get(session).is_some_and(|live| live.is_fetching) {
            return;
        }
        for (info, parts) in messages {
            let id = info.id.clone();
            self.take_message(info);
            let Some((_, live)) = self.live(session) else { return };
            if live.messages.contains_key(&id) {
                live.set_fetched_parts(&id, parts);
            }
        }
        let Some((_, live)) = self.live(session) else { return };
        (live.is_synced, live.is_fetching) = (true, false);
        live.rechecks = rechecks;
        if !live.has_status {
            live.is_busy = is_busy;
        }
        // A change can follow in the same moment.
        let seen = live.updated.min(self.now.minus(self.clock_lag + CHANGE_INTERVAL));
        if self.state.threads.get(session).is_some_and(|thread| seen > thread.seen) {
            self.record(JournalRecord::Seen { session: session.clone(), at: seen });
        }
        self.check_prompts(session);
        self.check_finished(session, true);
        self.check_lost(session);
        self.repeat_abort(session);
        self.advance(session);
        self.refresh(session);
        self.watch(session);
    }

    pub(super) fn on_messages_failed(&mut self, session: &SessionId, error: &AgentError) {
        if let Some(live) = self.live.get_mut(session) {
            live.is_fetching = false;
        }
        match error {
            AgentError::NotFound => self.end_thread(session, ThreadStatus::Deleted),
            _ => self.wake_after(RETRY_INTERVAL, Timer::Recheck(session.clone())),
        }
    }

    /// Gives up an unfinished turn that no agent works on.
    fn check_lost(&mut self, session: &SessionId) {
        let Some(thread) = self.state.threads.get(session) else { return };
        let Some(live) = self.live.get(session) else { return };
        let Some((newest, turn)) = thread.turns.last_key_value() else { return };
        if live.is_busy || live.finished.contains(newest) {
            return;
        }
        let is_restarted =
            !turn.instance.is_empty() && Some(&turn.instance) != self.instance.as_ref();
        if !is_restarted && live.rechecks < MAX_RECHECKS {
            return;
        }
        let text = if is_restarted { INTERRUPTED } else { UNANSWERED };
        let newest = newest.clone();
        let prompt = self.prompt_of(&newest);
        let retry = prompt.as_ref().and_then(|post| self.retry_usage(post)).unwrap_or_default();
        if let Some(live) = self.live.get_mut(session) {
            live.errors.insert(newest, format!("{text}{retry}"));
        }
        if let Some(post) = prompt {
            self.record(self.doubt_record(&post));
        }
        self.finish_turns(session);
    }

    /// Looks at the prompts that OpenCode does not have, or will not answer.
    fn check_prompts(&mut self, session: &SessionId) {
        for (post, prompt) in self.prompts_of(session) {
            let (Some(live), Some(message)) = (self.live.get(session), prompt.message()) else {
                continue;
            };
            let is_known = live.messages.contains_key(message);
            let is_late = live.last_message.as_ref().is_some_and(|last| last > message);
            match prompt.state {
                PromptState::Accepted { message, .. } => {
                    let thread = self.state.threads.get(session);
                    let is_open = thread.is_some_and(|one| one.turns.contains_key(&message));
                    // OpenCode answers the prompt with the greatest id. Another client was faster.
                    if !is_open && !live.is_busy {
                        self.doubt(&post, UNANSWERED);
                    }
                }
                PromptState::Sending { message, instance, at } if !is_known => {
                    self.check_sending(session, &post, (&message, &instance, at), is_late);
                }
                _ => {}
            }
        }
    }

    /// Looks at a prompt that was sent and that OpenCode does not have.
    fn check_sending(
        &mut self,
        session: &SessionId,
        post: &PostId,
        (message, instance, at): (&MessageId, &str, Millis),
        is_late: bool,
    ) {
        if self.sending.contains(post) {
            return;
        }
        let at = self.past(at);
        let prompt = self.state.prompts.get(post);
        let is_permitted = prompt.is_some_and(|prompt| self.is_author_permitted(prompt));
        if Some(instance) != self.instance.as_deref() {
            self.doubt(post, DOUBT);
        } else if self.now < at.plus(ARRIVAL_TIMEOUT) {
            self.wake_at(at.plus(ARRIVAL_TIMEOUT), Timer::Recheck(session.clone()));
        } else if !is_permitted {
            self.drop_prompt(post);
        } else if self.is_command(post) {
            // OpenCode may still be preparing its text, and would then have it twice.
            self.doubt(post, COMMAND_DOUBT);
        } else if is_late {
            // A prompt with a smaller id than other messages is not answered.
            self.send_first(session, post);
        } else {
            self.send(session, post, message.clone());
        }
    }

    fn is_command(&self, post: &PostId) -> bool {
        let prompt = self.state.prompts.get(post);
        prompt.is_some_and(|prompt| matches!(prompt.body, Body::Command { .. }))
    }

    /// Makes sure that the end of a turn is noticed, also when its event is lost.
    pub(super) fn watch(&mut self, session: &SessionId) {
        if self.is_unfinished(session) {
            self.wake_at(self.recheck_at(session), Timer::Recheck(session.clone()));
        } else {
            self.timers.retain(|(_, timer)| *timer != Timer::Recheck(session.clone()));
        }
    }

    /// Returns whether something of a session is not known yet.
    fn is_unfinished(&self, session: &SessionId) -> bool {
        let (Some(thread), Some(live)) = (self.state.threads.get(session), self.live.get(session))
        else {
            return false;
        };
        let is_sent = self.prompts_of(session).iter().any(|(_, one)| one.message().is_some());
        let has_turns = thread.turns.keys().any(|turn| !live.finished.contains(turn));
        is_sent || has_turns || !live.is_synced
    }

    fn recheck_at(&self, session: &SessionId) -> Millis {
        let Some(live) = self.live.get(session) else { return self.now };
        let wait = match live.is_busy {
            true => BUSY_INTERVAL << live.rechecks.min(MAX_BUSY_DOUBLINGS),
            false => IDLE_INTERVAL << live.rechecks.min(MAX_RECHECKS),
        };
        live.active.plus(wait)
    }

    pub(super) fn recheck(&mut self, session: &SessionId) {
        if !self.is_unfinished(session) {
            return;
        }
        let has_prompt = self
            .prompts_of(session)
            .iter()
            .any(|(_, prompt)| matches!(prompt.state, PromptState::Sending { .. }));
        let at = self.recheck_at(session);
        let live = self.live.entry(session.clone()).or_default();
        if live.is_synced && !has_prompt && at > self.now {
            self.watch(session);
            return;
        }
        live.rechecks += 1;
        live.active = self.now;
        self.sync_session(session);
    }
}

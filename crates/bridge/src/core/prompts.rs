//! Prompts: the queue of each session, and sending each prompt once.

use std::collections::BTreeSet;

use super::action::{BridgeAction, PromptRequest};
use super::ids::{MessageId, Millis, PostId, SessionId, UserId};
use super::input::{AgentError, Body, MissingFile, Post};
use super::markdown::{inline_code, shorten};
use super::record::JournalRecord;
use super::state::{Handled, Prompt, PromptState, ThreadStatus};
use super::{Core, RETRY_INTERVAL, Timer, files, texts};

/// The reaction on a post that waits.
const WAITING_EMOJI: &str = "hourglass_flowing_sand";
/// Maximum length of the reason why a file is missing.
const MAX_REASON_CHARS: usize = 300;

impl Core {
    /// Returns the prompts that wait for their turn.
    pub(super) fn waiting_prompts(&self) -> BTreeSet<PostId> {
        let prompts = self.state.prompts.iter();
        let waiting = prompts.filter(|(_, prompt)| prompt.state == PromptState::Waiting);
        waiting.map(|(post, _)| post.clone()).collect()
    }

    /// Returns the prompts of a session in their order.
    pub(super) fn prompts_of(&self, session: &SessionId) -> Vec<(PostId, Prompt)> {
        let thread = self.state.threads.get(session);
        thread
            .and_then(|thread| thread.root.as_ref())
            .map_or_else(Vec::new, |root| self.prompts_under(root))
    }

    /// Returns the prompts of a thread in their order.
    fn prompts_under(&self, root: &PostId) -> Vec<(PostId, Prompt)> {
        let prompts = self.state.prompts.iter().filter(|(_, prompt)| prompt.root == *root);
        let mut prompts: Vec<_> = prompts.map(|(post, one)| (post.clone(), one.clone())).collect();
        prompts.sort_by_key(|(_, prompt)| prompt.number);
        prompts
    }

    /// Records the prompt of a post. The post is handled with it.
    pub(super) fn receive_prompt(&mut self, post: &Post, root: &PostId, body: Body) {
        self.handled(post, Some(texts::hash(&post.text)));
        let (_, refused) = files::attachments(&self.settings, &post.files);
        let prompt = Prompt {
            root: root.clone(),
            user: Some(post.user.clone()),
            body,
            files: post.files.clone(),
            at: self.now,
            number: 0,
            retries: 0,
            doubted: Millis::default(),
            state: PromptState::Waiting,
        };
        self.record(JournalRecord::PromptReceived { post: post.id.clone(), prompt });
        if !refused.is_empty() {
            let text = format!("Too large, or too many files; not sent: {}", refused.join(", "));
            self.note(&post.channel, root, &format!("{}:files", post.id), text);
        }
    }

    /// Sends the next prompt of a session, if the agent is ready for it.
    pub(super) fn advance(&mut self, session: &SessionId) {
        let prompts = self.prompts_of(session);
        let is_waiting = |prompt: &Prompt| prompt.state == PromptState::Waiting;
        let Some((next, _)) = prompts.iter().find(|(_, prompt)| is_waiting(prompt)) else { return };
        let Some(thread) = self.state.threads.get(session) else { return };
        if thread.status != ThreadStatus::Open || !self.may_work(session) {
            return;
        }
        let live = self.live.entry(session.clone()).or_default();
        let is_sent = |prompt: &Prompt| prompt.message().is_some();
        // OpenCode can say too late that it works on the prompt of another client.
        let has_turns = thread.turns.keys().any(|turn| !live.finished.contains(turn));
        if self.instance.is_some() && !live.is_synced {
            self.sync_session(session);
        } else if self.instance.is_none()
            || live.is_busy
            || has_turns
            || prompts.iter().any(|(_, prompt)| is_sent(prompt))
        {
            self.mark_waiting(&prompts);
        } else {
            self.send_first(session, &next.clone());
            self.mark_waiting(&self.prompts_of(session));
        }
    }

    /// Shows which prompts wait for a session that is not created yet.
    pub(super) fn mark_start(&mut self, root: &PostId) {
        let prompts = self.prompts_under(root);
        self.mark_waiting(&prompts);
    }

    /// Shows which prompts wait.
    fn mark_waiting(&mut self, prompts: &[(PostId, Prompt)]) {
        for (post, prompt) in prompts {
            let is_waiting = prompt.state == PromptState::Waiting && prompt.user.is_some();
            if is_waiting && self.marked.insert(post.clone()) {
                self.act(BridgeAction::AddReaction { post: post.clone(), emoji: WAITING_EMOJI });
            }
        }
    }

    fn unmark(&mut self, post: &PostId) {
        if self.marked.remove(post) {
            self.act(BridgeAction::RemoveReaction { post: post.clone(), emoji: WAITING_EMOJI });
        }
    }

    /// Chooses the id of a prompt and sends it.
    pub(super) fn send_first(&mut self, session: &SessionId, post: &PostId) {
        let retries = self.state.prompts.get(post).map_or(0, |prompt| prompt.retries);
        let seed = format!("{post}:{retries}");
        let now = self.clock_time();
        let live = self.live.entry(session.clone()).or_default();
        let last = live.last_message.as_ref().map(MessageId::as_str);
        let id = (self.settings.message_id)(now.0, last, &seed);
        let message = MessageId::from(id);
        live.last_message = Some(message.clone());
        self.send(session, post, message);
    }

    /// Sends a prompt, also one that OpenCode turned out not to have.
    pub(super) fn send(&mut self, session: &SessionId, post: &PostId, message: MessageId) {
        let Some(prompt) = self.state.prompts.get(post).cloned() else { return };
        let Some(thread) = self.state.threads.get(session).cloned() else { return };
        let (instance, at) = (self.instance.clone().unwrap_or_default(), self.now);
        let record = JournalRecord::PromptSending {
            post: post.clone(),
            message: message.clone(),
            instance,
            at,
        };
        self.record(record);
        let what = format!("prompt {}", describe(&prompt.body));
        self.audit(prompt.user.as_ref(), Some(session), &what, "sent");
        self.unmark(post);
        self.sending.insert(post.clone());
        let (files, _) = files::attachments(&self.settings, &prompt.files);
        self.act(BridgeAction::Prompt(PromptRequest {
            post: post.clone(),
            session: session.clone(),
            directory: thread.directory,
            message,
            body: prompt.body,
            model: thread.model,
            agent: thread.agent,
            files,
        }));
    }

    pub(super) fn on_prompt_accepted(&mut self, post: &PostId) {
        self.sending.remove(post);
        let Some(prompt) = self.state.prompts.get(post) else { return };
        let session = self.state.roots.get(&prompt.root).cloned();
        if let (Some(session), Some(message)) = (session, prompt.message().cloned()) {
            self.accept_prompt(&session, &message);
            self.open_turn(&session, &message);
        }
    }

    /// Notes that OpenCode has a prompt.
    pub(super) fn accept_prompt(&mut self, session: &SessionId, message: &MessageId) {
        let Some(post) = self.prompt_of(message) else { return };
        let Some(prompt) = self.state.prompts.get(&post) else { return };
        if matches!(prompt.state, PromptState::Sending { .. }) {
            let user = prompt.user.clone();
            let what = format!("prompt {}", describe(&prompt.body));
            self.record(JournalRecord::PromptAccepted { post });
            self.audit(user.as_ref(), Some(session), &what, "accepted");
        }
    }

    pub(super) fn on_prompt_failed(&mut self, post: &PostId, error: &AgentError) {
        self.sending.remove(post);
        let Some(prompt) = self.state.prompts.get(post).cloned() else { return };
        let Some(session) = self.state.roots.get(&prompt.root).cloned() else { return };
        if !matches!(prompt.state, PromptState::Sending { .. }) {
            return;
        }
        if *error == AgentError::Undelivered {
            self.record(JournalRecord::PromptUnsent { post: post.clone() });
            // The author can have lost the rights in the meantime.
            self.drop_prompts_without_rights();
            self.mark_waiting(&self.prompts_of(&session));
            // It is sent again when OpenCode answers.
            self.live.entry(session.clone()).or_default().is_synced = false;
        }
        if matches!(error, AgentError::Undelivered | AgentError::Unreachable) {
            self.wake_after(RETRY_INTERVAL, Timer::Recheck(session));
            return;
        }
        let reason = texts::agent_error(error);
        self.record(JournalRecord::PromptEnded { post: post.clone() });
        let what = format!("prompt {}", describe(&prompt.body));
        let result = format!("refused: {reason}");
        self.audit(prompt.user.as_ref(), Some(&session), &what, &result);
        let id = format!("{post}:failed:{}", prompt.retries);
        self.note_to_session(&session, &id, format!("The prompt was refused: {reason}"));
        self.advance(&session);
    }

    pub(super) fn on_files_missing(
        &mut self,
        post: &PostId,
        session: &SessionId,
        files: &[MissingFile],
    ) {
        let rows = files.iter().map(|MissingFile { name, reason }| {
            format!("- {}: {}", inline_code(name), shorten(reason, MAX_REASON_CHARS))
        });
        let rows = rows.collect::<Vec<_>>().join("\n");
        let text = format!("The prompt was sent without these files:\n{rows}");
        self.note_to_session(session, &format!("{post}:missing"), text);
    }

    /// Shows that a prompt did not arrive, or that this is not known.
    pub(super) fn doubt(&mut self, post: &PostId, text: &str) {
        let Some(prompt) = self.state.prompts.get(post).cloned() else { return };
        let text = format!("{text}{}", self.retry_usage(post).unwrap_or_default());
        self.record(self.doubt_record(post));
        if let Some(session) = self.state.roots.get(&prompt.root).cloned() {
            let what = format!("prompt {}", describe(&prompt.body));
            self.audit(prompt.user.as_ref(), Some(&session), &what, "not certain");
            self.note_to_session(&session, &format!("{post}:doubt:{}", prompt.retries), text);
        }
    }

    /// Sends a doubtful prompt again, as a user asked.
    pub(super) fn retry_prompt(&mut self, post: &PostId, user: &UserId) {
        let Some(prompt) = self.state.prompts.get(post) else { return };
        let session = self.state.roots.get(&prompt.root).cloned();
        if let (PromptState::Doubtful, Some(session)) = (&prompt.state, session) {
            let what = format!("repeat prompt {}", describe(&prompt.body));
            self.audit(Some(user), Some(&session), &what, "requested");
            self.record(JournalRecord::PromptRetried { post: post.clone() });
            self.advance(&session);
        }
    }

    /// Ends a prompt that is not sent.
    pub(super) fn drop_prompt(&mut self, post: &PostId) {
        self.record(JournalRecord::PromptEnded { post: post.clone() });
        if let Some(Handled { channel, created, .. }) = self.state.handled.get(post).cloned() {
            // The agent does not have the text, so that later edits mean nothing.
            self.record(JournalRecord::Handled {
                post: post.clone(),
                channel,
                created,
                hash: None,
            });
        }
        self.unmark(post);
    }
}

/// Returns the start of a prompt, for the audit log.
fn describe(body: &Body) -> String {
    match body {
        Body::Text(text) => format!("{:?}", shorten(text, 200)),
        Body::Command { name, .. } => format!("/{name}"),
    }
}

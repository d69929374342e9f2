//! Takes posts, edits, deletions and reactions.

use super::action::BridgeAction;
use super::ids::{Millis, PostId, SessionId, UserId};
use super::input::{Body, Post, Reaction};
use super::record::JournalRecord;
use super::slot::Slot;
use super::state::{PromptState, Start, ThreadStatus};
use super::{Core, commands, markdown, texts};

/// Minimum time between two answers to a user who was refused.
const REFUSAL_INTERVAL: u64 = 60 * 60_000;
const MAX_TITLE_CHARS: usize = 60;
const REFUSED_EMOJI: &str = "no_entry_sign";
/// Two names of the same emoji.
const STOP_EMOJIS: [&str; 2] = ["octagonal_sign", "stop_sign"];

impl Core {
    /// Takes a post that was just written. While earlier ones can be missing, it is left to the search for them, so
    /// that posts are handled in their order.
    pub(super) fn on_posted(&mut self, post: &Post) {
        if post.user != self.settings.bot {
            self.rejoin(&post.channel);
        }
        if self.has_missed || self.catching_up.contains_key(&post.channel) {
            self.start_catch_up(&post.channel);
        } else {
            self.on_post(post);
        }
    }

    pub(super) fn on_post(&mut self, post: &Post) {
        if post.user == self.settings.bot || post.is_automatic || post.is_deleted {
            return;
        }
        if self.is_handled(post) {
            self.on_edit(post);
            return;
        }
        match &post.root {
            Some(root) if self.state.roots.contains_key(root) => {
                let session = self.state.roots.get(root).cloned();
                if let Some(session) = &session {
                    self.find_thread_again(session);
                }
                self.on_reply(post, root, session.as_ref());
            }
            Some(root) if self.state.starts.contains_key(root) => self.on_reply(post, root, None),
            _ if !self.is_addressed(post) => {}
            _ if !self.is_permitted(&post.user) => self.refuse_stranger(post),
            _ => self.on_main_post(post),
        }
    }

    /// Takes a post in the thread of a session, or of one that is being created.
    fn on_reply(&mut self, post: &Post, root: &PostId, session: Option<&SessionId>) {
        if !self.may_prompt(&post.user, session) {
            self.refuse_stranger(post);
            return;
        }
        if session.is_some_and(|session| !self.may_work(session)) {
            self.reply(post, "Sessions may not use this directory any more.");
            return;
        }
        let text = self.mention(&post.text).unwrap_or_else(|| post.text.trim().to_owned());
        if let Some((name, arguments)) = commands::parse(&self.settings.prefix, &text) {
            self.on_command(post, session, &name, &arguments);
            return;
        }
        let thread = session.and_then(|session| self.state.threads.get(session));
        match thread.map(|thread| thread.status) {
            Some(ThreadStatus::Archived) => {
                let prefix = &self.settings.prefix;
                let text = format!("The session is archived. `{prefix}resume` opens it again.");
                self.reply(post, text);
            }
            Some(ThreadStatus::Deleted | ThreadStatus::Lost) => {
                self.reply(post, "The session was deleted. A post in the channel starts another.");
            }
            Some(ThreadStatus::Ended) => {
                let text = "The session was ended with `skein session set`, which is final. A post in the channel starts another.";
                self.reply(post, text);
            }
            _ => self.on_thread_text(post, root, session, &text),
        }
    }

    fn on_thread_text(
        &mut self,
        post: &Post,
        root: &PostId,
        session: Option<&SessionId>,
        text: &str,
    ) {
        if session.is_some_and(|session| self.on_ask_text(post, session, text)) {
            return;
        }
        if text.is_empty() && post.files.is_empty() {
            return;
        }
        if let Some(free_at) = self.count_prompt(post, root) {
            self.refuse_prompt(post, free_at);
            return;
        }
        self.receive_prompt(post, root, body(text));
        match session {
            Some(session) => self.advance(session),
            None => self.mark_start(root),
        }
    }

    /// Takes a post of a permitted user outside the threads of sessions.
    fn on_main_post(&mut self, post: &Post) {
        let text = self.mention(&post.text).unwrap_or_else(|| post.text.trim().to_owned());
        match commands::parse(&self.settings.prefix, &text) {
            Some((name, arguments)) => self.on_command(post, None, &name, &arguments),
            None if post.root.is_some() => {
                self.reply(post, "This thread has no session. A post in the channel starts one.");
            }
            None => self.start_session(post, &text),
        }
    }

    /// Starts a session with a post as its first prompt.
    pub(super) fn start_session(&mut self, post: &Post, text: &str) {
        if !self.settings.start_from_chat {
            self.reply(post, "Sessions are not started from the chat here.");
            return;
        }
        let words = commands::StartWords::parse(text);
        let named = words.directory.as_ref();
        let directory = match named {
            Some(name) => self.settings.find_directory(name),
            None => self.settings.directories.first().cloned(),
        };
        let Some(directory) = directory else {
            let name = named.map_or_else(|| "none is set".to_owned(), |name| format!("`{name}`"));
            self.reply(post, format!("No such directory: {name}"));
            return;
        };
        if words.text.is_empty() && post.files.is_empty() {
            self.reply(post, "The prompt is empty.");
            return;
        }
        if let Some(free_at) = self.count_prompt(post, &post.id) {
            self.refuse_prompt(post, free_at);
            return;
        }
        self.receive_prompt(post, &post.id, body(&words.text));
        let first_line = words.text.lines().next().unwrap_or_default();
        let start = Start {
            channel: post.channel.clone(),
            user: post.user.clone(),
            directory,
            title: markdown::shorten(first_line, MAX_TITLE_CHARS),
            model: words.model,
            agent: words.agent,
            at: self.now,
        };
        self.record(JournalRecord::StartRequested { post: post.id.clone(), start });
        self.create_session(&post.id);
        if self.instance.is_none() {
            self.mark_start(&post.id);
        }
    }

    pub(super) fn on_edit(&mut self, post: &Post) {
        let handled = self.state.handled.get(&post.id);
        let Some(old) = handled.and_then(|handled| handled.hash) else { return };
        let hash = texts::hash(&post.text);
        if old == hash {
            return;
        }
        let prompt = self.state.prompts.get(&post.id);
        if prompt.is_some_and(|prompt| prompt.message().is_none()) {
            let text = self.mention(&post.text).unwrap_or_else(|| post.text.trim().to_owned());
            if self.take_edited_command(post, &text) {
                return;
            }
            let text = if post.root.is_none() { self.start_text(&text) } else { text };
            if text.is_empty() && post.files.is_empty() {
                self.drop_unsent(&post.id);
                let text = "The prompt is empty and was dropped.";
                self.note_edit(post, hash, text);
                return;
            }
            let body = body(&text);
            self.record(JournalRecord::PromptEdited { post: post.id.clone(), body, hash });
            return;
        }
        self.handled(post, Some(hash));
        let text = "The agent has the text from before the edit. A reply can correct it.";
        self.note_edit(post, hash, text);
    }

    /// Carries out the command that a prompt that waits was edited to, and drops the prompt.
    fn take_edited_command(&mut self, post: &Post, text: &str) -> bool {
        let Some((name, arguments)) = commands::parse(&self.settings.prefix, text) else {
            return false;
        };
        let is_start = post.root.is_none();
        if is_start && name == "new" {
            return false;
        }
        let root = post.root.as_ref().unwrap_or(&post.id);
        let session = self.state.roots.get(root).cloned();
        let is_allowed = session.as_ref().is_none_or(|session| self.may_work(session));
        if !is_allowed || !self.may_prompt(&post.user, session.as_ref()) {
            return false;
        }
        self.drop_unsent(&post.id);
        self.handled(post, None);
        self.on_command(post, session.as_ref(), &name, &arguments);
        true
    }

    /// Returns the prompt in a text that starts a session.
    fn start_text(&self, text: &str) -> String {
        let command = commands::parse(&self.settings.prefix, text);
        let arguments = command.filter(|(name, _)| name == "new").map(|(_, arguments)| arguments);
        commands::StartWords::parse(arguments.as_deref().unwrap_or(text)).text
    }

    /// Answers an edit, once for each text.
    fn note_edit(&mut self, post: &Post, hash: u64, text: &str) {
        let root = post.root.clone().unwrap_or_else(|| post.id.clone());
        let id = format!("{}:edited:{hash:x}", post.id);
        self.note(&post.channel, &root, &id, text);
    }

    /// Drops what was not sent of a post: its prompt, and the session that it starts.
    fn drop_unsent(&mut self, post: &PostId) {
        if self.state.starts.contains_key(post) {
            self.record(JournalRecord::StartEnded { post: post.clone() });
            self.drop_prompts(post);
        }
        let prompt = self.state.prompts.get(post);
        if prompt.is_some_and(|prompt| prompt.message().is_none()) {
            self.drop_prompt(post);
        }
    }

    pub(super) fn on_delete(&mut self, post: &PostId) {
        if let Some(session) = self.state.roots.get(post).cloned() {
            self.end_thread(&session, ThreadStatus::Lost);
            return;
        }
        self.drop_unsent(post);
        if let Some(key) = self.planned_post(post).map(Slot::key) {
            self.record(JournalRecord::PostGone { key });
        }
    }

    pub(super) fn on_reaction(&mut self, reaction: &Reaction) {
        let Reaction { post, user, emoji, at } = reaction;
        if *user == self.settings.bot {
            return;
        }
        let emoji = emoji.split("_skin_tone").next().unwrap_or(emoji);
        let tones = ["_medium_light", "_medium_dark", "_light", "_medium", "_dark"];
        let emoji = tones.iter().find_map(|tone| emoji.strip_suffix(tone)).unwrap_or(emoji);
        if let Some(Slot::Ask(id)) = self.planned_post(post) {
            let id = id.clone();
            self.on_ask_reaction(&id, user, emoji);
            return;
        }
        if STOP_EMOJIS.contains(&emoji) {
            self.stop_by_reaction(post, user);
            return;
        }
        let Some(prompt) = self.state.prompts.get(post) else { return };
        let (session, state) = (self.state.roots.get(&prompt.root), &prompt.state);
        if !self.may_prompt(user, session) || self.local_time(*at) < self.past(prompt.doubted) {
            return;
        }
        match (state, emoji) {
            (PromptState::Doubtful, "repeat" | "arrows_counterclockwise") => {
                self.retry_prompt(post, user);
            }
            (PromptState::Waiting | PromptState::Doubtful, "x" | "wastebasket") => {
                self.drop_prompt(post);
            }
            _ => {}
        }
    }

    /// Stops the agent that works on a prompt, or writes an answer.
    fn stop_by_reaction(&mut self, post: &PostId, user: &UserId) {
        let session = match (self.planned_post(post), self.state.prompts.get(post)) {
            (Some(Slot::Answer { session, .. }), _) => Some(session),
            (_, Some(prompt)) if prompt.message().is_some() => self.state.roots.get(&prompt.root),
            _ => None,
        };
        let Some(session) = session.cloned() else { return };
        if self.may_prompt(user, Some(&session)) && self.may_work(&session) {
            self.audit(Some(user), Some(&session), "abort", "sent");
            self.abort(&session);
        }
    }

    /// Returns what a post of the bridge shows.
    fn planned_post(&self, post: &PostId) -> Option<&Slot> {
        let mut posts = self.state.posts.values();
        posts.find(|planned| planned.post.as_ref() == Some(post)).map(|planned| &planned.slot)
    }

    /// Drops the prompts of a user that were not sent, in all sessions, or in one that the user may
    /// not prompt any more.
    pub(super) fn drop_prompts_of(&mut self, user: &UserId, session: Option<&SessionId>) {
        let prompts = self.state.prompts.iter().filter(|(_, prompt)| {
            let of = self.state.roots.get(&prompt.root);
            let is_meant = session.is_none_or(|one| Some(one) == of && !self.may_prompt(user, of));
            is_meant && prompt.user.as_ref() == Some(user) && prompt.message().is_none()
        });
        let posts: Vec<_> = prompts.map(|(post, _)| post.clone()).collect();
        for post in posts {
            self.drop_unsent(&post);
        }
    }

    /// Drops the prompts that were not sent, and the sessions that were not created, of users who may not do this
    /// any more.
    pub(super) fn drop_prompts_without_rights(&mut self) {
        let starts = self.state.starts.iter();
        let starts = starts.filter(|(_, start)| !self.is_permitted(&start.user));
        let prompts = self.state.prompts.iter();
        let prompts = prompts
            .filter(|(_, prompt)| prompt.message().is_none() && !self.is_author_permitted(prompt));
        let posts = starts.map(|(post, _)| post).chain(prompts.map(|(post, _)| post));
        for post in posts.cloned().collect::<Vec<_>>() {
            self.drop_unsent(&post);
        }
    }

    /// Drops what a deactivated user still has in the queues, and all invitations.
    pub(super) fn on_deactivated(&mut self, user: &UserId) {
        self.drop_prompts_of(user, None);
        let threads = self.state.threads.values().filter(|thread| thread.invited.contains(user));
        let sessions: Vec<_> = threads.map(|thread| thread.session.clone()).collect();
        for session in sessions {
            self.record(JournalRecord::Kicked { session, user: user.clone() });
        }
    }

    /// Answers a post, which is handled with it.
    pub(super) fn reply(&mut self, post: &Post, text: impl Into<String>) {
        self.reply_with(post, Slot::Note { id: post.id.to_string(), text: text.into() });
    }

    /// Answers a post with more than a text.
    pub(super) fn reply_with(&mut self, post: &Post, slot: Slot) {
        self.handled(post, None);
        let root = post.root.clone().unwrap_or_else(|| post.id.clone());
        self.plan_in(&post.channel, &root, slot);
    }

    /// Tells a user without rights so in a direct channel; in others they get no answer.
    fn refuse_stranger(&mut self, post: &Post) {
        // It is not taken later either, when the user may do more.
        self.handled(post, None);
        if post.is_direct {
            self.refuse(post, "Only the owner and invited users may use this bot.");
        }
    }

    /// Refuses a prompt of a permitted user, and says when one is taken again. Of more that follow until then, only the reaction says
    /// that they are not sent.
    fn refuse_prompt(&mut self, post: &Post, free_at: Millis) {
        self.handled(post, None);
        self.act(BridgeAction::AddReaction { post: post.id.clone(), emoji: REFUSED_EMOJI });
        let root = post.root.clone().unwrap_or_else(|| post.id.clone());
        let told = (post.user.clone(), root);
        self.told_to_wait.retain(|_, until| *until > post.created);
        if self.told_to_wait.contains_key(&told) {
            return;
        }
        self.told_to_wait.insert(told, free_at);
        let seconds = free_at.0.saturating_sub(post.created.0).div_ceil(1_000);
        let text = "Too many prompts in a minute. This one was not sent: send it again in";
        self.reply(post, format!("{text} {seconds} s."));
    }

    /// Answers the post of a stranger, not too often and without a mention: bots could answer each other.
    fn refuse(&mut self, post: &Post, text: &str) {
        let last = self.state.refused.get(&post.user);
        if last.is_some_and(|last| self.now < self.past(*last).plus(REFUSAL_INTERVAL)) {
            return;
        }
        self.record(JournalRecord::Refused { user: post.user.clone(), at: self.now });
        self.reply(post, text);
    }
}

/// Returns what a text asks of the agent: a prompt, or one of its own commands.
pub(super) fn body(text: &str) -> Body {
    let command = text.strip_prefix('/').and_then(|rest| {
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        let is_command = !name.is_empty() && name.chars().all(is_name);
        is_command.then(|| (name.to_owned(), arguments.trim().to_owned()))
    });
    match command {
        Some((name, arguments)) => Body::Command { name, arguments },
        None => Body::Text(text.to_owned()),
    }
}

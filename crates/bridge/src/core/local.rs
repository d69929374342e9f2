//! Requests of other programs on this machine: prompts, notes, and the threads of a directory.

use serde::{Deserialize, Serialize};

use super::Core;
use super::ids::{ChannelId, Millis, PostId, SessionId};
use super::input::{Body, LocalRequest};
use super::markdown::{quote, shorten};
use super::record::JournalRecord;
use super::state::{Prompt, PromptState, ThreadStatus};

/// Maximum length of a prompt in the thread; the agent has the whole.
const MAX_SHOWN_CHARS: usize = 4_000;

/// Why a request for a session is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LocalRefusal {
    /// The bridge does not have the session.
    NoSession,
    /// The first post of the thread does not exist yet.
    NoThread,
    Archived,
    Deleted,
    /// A user has ended the session in the session map.
    Ended,
    /// The thread was deleted.
    ThreadDeleted,
    /// The bot is not in the channel.
    Away,
    /// The settings do not allow the directory of the session.
    Directory,
    /// The thread got too many requests in the last minute.
    RateLimit,
}

impl Core {
    pub(super) fn on_local(&mut self, request: LocalRequest) {
        let (LocalRequest::Send { session, .. } | LocalRequest::Say { session, .. }) = &request;
        if self.local_refusal(session, self.clock_time()).is_some() {
            return;
        }
        match request {
            LocalRequest::Send { id, session, text } => self.on_local_prompt(&id, &session, &text),
            LocalRequest::Say { id, session, text } => {
                self.count_local(&session);
                self.note_to_session(&session, &format!("local:{id}"), text);
            }
        }
    }

    /// Returns why a prompt or a note for a session would not be taken.
    pub fn local_refusal(&self, session: &SessionId, now: Millis) -> Option<LocalRefusal> {
        let now = now.plus(self.clock_lag).max(self.now);
        match self.local_thread(session) {
            Ok((_, root)) if self.is_rate_used_up(&root, now) => Some(LocalRefusal::RateLimit),
            Ok(_) => None,
            Err(refusal) => Some(refusal),
        }
    }

    fn count_local(&mut self, session: &SessionId) {
        if let Ok((_, root)) = self.local_thread(session) {
            self.count_in_thread(&root);
        }
    }

    /// Returns the channel and the first post of a thread that can be written to.
    fn local_thread(&self, session: &SessionId) -> Result<(ChannelId, PostId), LocalRefusal> {
        let thread = self.state.threads.get(session).ok_or(LocalRefusal::NoSession)?;
        match thread.status {
            ThreadStatus::Open => {}
            ThreadStatus::Archived => return Err(LocalRefusal::Archived),
            ThreadStatus::Deleted => return Err(LocalRefusal::Deleted),
            ThreadStatus::Ended => return Err(LocalRefusal::Ended),
            ThreadStatus::Lost => return Err(LocalRefusal::ThreadDeleted),
            ThreadStatus::Away => return Err(LocalRefusal::Away),
        }
        if !self.settings.allows_directory(&thread.directory) {
            return Err(LocalRefusal::Directory);
        }
        let root = thread.root.clone().ok_or(LocalRefusal::NoThread)?;
        Ok((thread.channel.clone(), root))
    }

    /// Records a prompt from this machine, and shows it in the thread.
    fn on_local_prompt(&mut self, id: &PostId, session: &SessionId, text: &str) {
        let Ok((channel, root)) = self.local_thread(session) else { return };
        if self.state.handled.contains_key(id) {
            return;
        }
        self.count_local(session);
        let (post, created) = (id.clone(), self.now);
        let handled = JournalRecord::Handled {
            post: post.clone(),
            channel: channel.clone(),
            created,
            hash: None,
        };
        self.record(handled);
        let prompt = Prompt {
            root: root.clone(),
            user: None,
            body: Body::Text(text.to_owned()),
            files: Vec::new(),
            at: self.now,
            number: 0,
            retries: 0,
            doubted: Millis::default(),
            state: PromptState::Waiting,
        };
        self.record(JournalRecord::PromptReceived { post, prompt });
        let shown = quote(&shorten(text.trim(), MAX_SHOWN_CHARS));
        self.note(&channel, &root, id.as_str(), format!("From the terminal:\n{shown}"));
        self.advance(session);
    }

    /// Returns the record of a prompt that is not answered.
    pub(super) fn doubt_record(&self, post: &PostId) -> JournalRecord {
        let post = post.clone();
        match self.state.prompts.get(&post).is_some_and(|prompt| prompt.user.is_some()) {
            true => JournalRecord::PromptDoubtful { post, at: self.now },
            // A prompt from this machine has no post that a user could react to.
            false => JournalRecord::PromptEnded { post },
        }
    }

    /// Returns how a user sends a prompt again.
    pub(super) fn retry_usage(&self, post: &PostId) -> Option<&'static str> {
        let prompt = self.state.prompts.get(post)?;
        Some(match prompt.user {
            Some(_) => " To send the prompt again, react to it with :repeat:.",
            None => " It can be sent again from the terminal.",
        })
    }
}

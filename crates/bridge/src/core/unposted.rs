//! Posts that the chat rejects for good: what is missing is said in the thread, or in the log.

use super::action::{BridgeAction, OutFile};
use super::ids::{Key, SessionId};
use super::markdown::{inline_code, shorten};
use super::record::JournalRecord;
use super::slot::Slot;
use super::state::{Planned, ThreadStatus};
use super::{Core, texts};

/// Maximum length of the reason that the chat gives.
const MAX_REASON_CHARS: usize = 300;
/// The ids of notes about missing posts start with this.
const NOTICE: &str = "unposted:";

impl Core {
    /// Gives up a post that was not created or not edited, and says what is missing.
    pub(super) fn give_up(&mut self, planned: &Planned, verb: &str, reason: &str) {
        let key = planned.slot.key();
        let reason = shorten(reason, MAX_REASON_CHARS);
        if self.hide_ask(planned, &reason) {
            return;
        }
        let text = format!("{} could not be {verb}: {reason}", describe(&planned.slot));
        self.end_post(&planned.slot);
        match (&planned.slot, &planned.place.root) {
            (Slot::Session(session), None) => self.give_up_thread(session, &reason),
            // A note about a note would be rejected as well.
            (Slot::Note { id, .. }, _) if id.starts_with(NOTICE) => self.warn(&key, None, &text),
            (_, Some(root)) => {
                let (channel, root) = (planned.place.channel.clone(), root.clone());
                self.note(&channel, &root, &format!("{NOTICE}{key}"), text);
            }
            (_, None) => self.warn(&key, None, &text),
        }
    }

    /// Takes the text out of a permission or question that was not created, so that it can at least be rejected.
    fn hide_ask(&mut self, planned: &Planned, reason: &str) -> bool {
        let Slot::Ask(id) = &planned.slot else { return false };
        let is_shown = self.state.asks.get(id).is_some_and(|ask| ask.hidden.is_none());
        let is_new = planned.post.is_none();
        if is_shown && is_new {
            let (id, reason) = (id.clone(), reason.to_owned());
            self.record(JournalRecord::AskHidden { id, reason });
        }
        is_shown && is_new
    }

    /// Gives up a session whose first post was rejected: there is no thread that could say so.
    fn give_up_thread(&mut self, session: &SessionId, reason: &str) {
        let key = Slot::Session(session.clone()).key();
        self.record(JournalRecord::PostSettled { key: key.clone() });
        self.end_thread(session, ThreadStatus::Lost);
        let (id, prefix) = (texts::short_id(session), &self.settings.prefix);
        let text = format!(
            "The thread of the session {id} could not be opened: {reason}. `{prefix}resume {id}` \
            tries it again."
        );
        self.warn(&key, Some(session), &text);
    }

    /// Tells the user of the terminal, and the log.
    fn warn(&mut self, key: &Key, session: Option<&SessionId>, text: &str) {
        self.audit(None, session, &format!("post {key}"), text);
        self.act(BridgeAction::Warn(text.to_owned()));
    }

    /// Returns whether a text is too large for a file. A server can drop the connection instead of refusing it.
    pub(super) fn is_too_large(&self, file: Option<&OutFile>) -> bool {
        let Some(OutFile::Text { content, .. }) = file else { return false };
        u64::try_from(content.len()).is_ok_and(|size| size > self.settings.max_file_bytes)
    }

    /// Notes that a post will not be written again.
    pub(super) fn end_post(&mut self, slot: &Slot) {
        let key = slot.key();
        let is_single = matches!(slot, Slot::Note { .. } | Slot::Text { .. } | Slot::File { .. });
        match is_single || self.is_over(slot) {
            true => self.record(JournalRecord::PostSettled { key }),
            false => self.record(JournalRecord::PostGone { key }),
        }
    }

    /// Returns whether the description of a session, or a request, will not change again.
    pub(super) fn is_over(&self, slot: &Slot) -> bool {
        match slot {
            Slot::Ask(id) => self.state.asks.get(id).is_none_or(|ask| ask.result.is_some()),
            Slot::Session(session) => {
                let thread = self.state.threads.get(session);
                thread.is_none_or(|thread| {
                    matches!(thread.status, ThreadStatus::Deleted | ThreadStatus::Ended)
                })
            }
            _ => false,
        }
    }
}

fn describe(slot: &Slot) -> String {
    match slot {
        Slot::Session(_) => "The description of the session".to_owned(),
        Slot::Answer { .. } => "A part of the answer".to_owned(),
        Slot::Output { .. } => "The output of a command".to_owned(),
        Slot::Image { path: name, .. }
        | Slot::File { path: name, .. }
        | Slot::Text { name, .. } => inline_code(name),
        Slot::Ask(_) => "A request that has to be answered in OpenCode".to_owned(),
        Slot::Note { .. } => "A reply of the bot".to_owned(),
    }
}

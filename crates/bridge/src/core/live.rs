//! The messages of a session that are not yet whole in its thread, as far as they are known.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::{MessageId, Millis, PartId};
use super::input::{MessageInfo, MessagePart, PartKind, ToolState};

/// Maximum number of parts of unknown messages that are kept.
const MAX_EARLY_PARTS: usize = 200;

/// What is known of a session since the last gap in the events.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Whether the messages were fetched since the last gap.
    pub(super) is_synced: bool,
    pub(super) is_fetching: bool,
    pub(super) is_busy: bool,
    /// Whether an event said so since the messages were asked for.
    pub(super) has_status: bool,
    pub(super) messages: BTreeMap<MessageId, MessageInfo>,
    pub(super) parts: BTreeMap<(MessageId, PartId), LivePart>,
    /// The greatest id of a message.
    pub(super) last_message: Option<MessageId>,
    /// Turns that the agent has finished.
    pub(super) finished: BTreeSet<MessageId>,
    /// Why turns ended early.
    pub(super) errors: BTreeMap<MessageId, String>,
    /// When the session was last changed before its messages were asked for.
    pub(super) updated: Millis,
    /// The last event.
    pub(super) active: Millis,
    /// How often the messages were fetched since then.
    pub(super) rechecks: u32,
}

#[derive(Debug)]
pub(super) struct LivePart {
    pub(super) kind: PartKind,
    /// Whether the beginning of the text was missed. It is known when the part is finished.
    pub(super) has_gap: bool,
    /// Whether the kind of the part is known, not only its text.
    pub(super) is_known: bool,
}

impl Live {
    pub(super) fn set_message(&mut self, info: MessageInfo) {
        self.last_message = self.last_message.take().max(Some(info.id.clone()));
        // An answer of the server can be older than an event.
        let known = self.messages.get(&info.id);
        if info.is_complete || !known.is_some_and(|known| known.is_complete) {
            self.messages.insert(info.id.clone(), info);
        }
    }

    /// Takes all parts of a message.
    pub(super) fn set_fetched_parts(&mut self, message: &MessageId, parts: Vec<MessagePart>) {
        let info = self.messages.get(message);
        if info.is_some_and(|one| one.is_complete || one.parent.is_none()) {
            self.parts.retain(|(of, _), _| of != message);
            for part in parts {
                let kind = finished(part.kind);
                let live = LivePart { kind, has_gap: false, is_known: true };
                self.parts.insert((part.message, part.id), live);
            }
        } else {
            parts.into_iter().for_each(|part| self.set_part(part, true));
        }
    }

    /// Replaces a part, unless less is known of it than before.
    ///
    /// A text is empty in the answers of the server until it is finished, and the event that
    /// announces a text can come after its first pieces.
    pub(super) fn set_part(&mut self, part: MessagePart, is_fetched: bool) {
        self.forget_early_parts();
        let key = (part.message, part.id);
        let Some(known) = self.parts.get_mut(&key) else {
            let has_gap = is_fetched && is_open(&part.kind);
            let part = LivePart { kind: part.kind, has_gap, is_known: true };
            self.parts.insert(key, part);
            return;
        };
        let is_first = !known.is_known;
        known.is_known = true;
        if is_finished_tool(&known.kind) && !is_finished_tool(&part.kind) {
            return;
        }
        if is_open(&part.kind) {
            // Pieces that came before the answer of the server can be from the middle of the text.
            known.has_gap |= is_first && is_fetched;
            // An announced text gets the pieces that came before.
            let is_older = text(&known.kind).starts_with(text(&part.kind));
            let was_finished = !is_first && !is_open(&known.kind);
            if was_finished {
                return;
            }
            let kept = if is_older { text(&known.kind) } else { text(&part.kind) }.to_owned();
            known.kind = match part.kind {
                PartKind::Reasoning { .. } => {
                    PartKind::Reasoning { text: kept, is_finished: false }
                }
                _ => PartKind::Text { text: kept, is_finished: false },
            };
            return;
        }
        known.kind = part.kind;
        known.has_gap = false;
    }

    /// Appends to the text of a part.
    pub(super) fn append(&mut self, message: MessageId, part: PartId, piece: &str) {
        let kind = PartKind::Text { text: String::new(), is_finished: false };
        let part = self.parts.entry((message, part)).or_insert(LivePart {
            kind,
            has_gap: false,
            is_known: false,
        });
        match &mut part.kind {
            PartKind::Text { text, is_finished: false }
            | PartKind::Reasoning { text, is_finished: false } => text.push_str(piece),
            _ => {}
        }
    }

    /// Notes that events were lost.
    pub(super) fn note_gap(&mut self) {
        self.is_synced = false;
        self.is_fetching = false;
        for part in self.parts.values_mut() {
            part.has_gap |= is_open(&part.kind);
        }
    }

    /// Returns the messages that answer a turn, in order.
    pub(super) fn answers<'a>(
        &'a self,
        turn: &'a MessageId,
    ) -> impl DoubleEndedIterator<Item = &'a MessageInfo> {
        self.messages.values().filter(move |one| one.parent.as_ref() == Some(turn))
    }

    /// Returns whether the agent has finished the answer to a turn, if it is not busy.
    pub(super) fn is_answered(&self, turn: &MessageId) -> bool {
        let is_end = |last: &MessageInfo| {
            // After a rejected permission the agent does not go on.
            let is_last = !last.continues || self.has_failed_tool(&last.id);
            last.error.is_some() || (last.is_complete && is_last)
        };
        self.errors.contains_key(turn) || self.answers(turn).next_back().is_some_and(is_end)
    }

    fn has_failed_tool(&self, message: &MessageId) -> bool {
        let mut parts = self.parts.iter().filter(|((of, _), _)| of == message);
        parts.any(|(_, part)| matches!(&part.kind, PartKind::Tool(tool) if tool.state == ToolState::Failed))
    }

    /// Ends all texts as they are: what is missing now does not come any more.
    pub(super) fn finish_parts(&mut self) {
        for part in self.parts.values_mut() {
            part.has_gap = false;
            if let PartKind::Text { is_finished, .. } | PartKind::Reasoning { is_finished, .. } =
                &mut part.kind
            {
                *is_finished = true;
            }
        }
    }

    /// Returns whether a text of the answer to a turn is not finished.
    pub(super) fn has_open_text(&self, turn: &MessageId) -> bool {
        self.answers(turn).any(|message| {
            let mut parts = self.parts.iter().filter(|((of, _), _)| *of == message.id);
            parts.any(|(_, part)| is_open(&part.kind))
        })
    }

    /// Forgets a turn that is in the thread.
    pub(super) fn forget_turn(&mut self, turn: &MessageId) {
        self.messages.retain(|id, one| id != turn && one.parent.as_ref() != Some(turn));
        self.finished.remove(turn);
        self.errors.remove(turn);
        let known = &self.messages;
        self.parts.retain(|(message, _), _| known.contains_key(message));
    }

    fn forget_early_parts(&mut self) {
        let known = &self.messages;
        let early = self.parts.keys().filter(|(message, _)| !known.contains_key(message));
        if early.count() > MAX_EARLY_PARTS {
            self.parts.retain(|(message, _), _| known.contains_key(message));
        }
    }
}

fn is_open(kind: &PartKind) -> bool {
    matches!(
        kind,
        PartKind::Text { is_finished: false, .. } | PartKind::Reasoning { is_finished: false, .. }
    )
}

fn is_finished_tool(kind: &PartKind) -> bool {
    let done = [ToolState::Completed, ToolState::Failed];
    matches!(kind, PartKind::Tool(tool) if done.contains(&tool.state))
}

fn finished(kind: PartKind) -> PartKind {
    match kind {
        PartKind::Text { text, .. } => PartKind::Text { text, is_finished: true },
        PartKind::Reasoning { text, .. } => PartKind::Reasoning { text, is_finished: true },
        PartKind::Tool(_) | PartKind::Other => kind,
    }
}

fn text(kind: &PartKind) -> &str {
    match kind {
        PartKind::Text { text, .. } | PartKind::Reasoning { text, .. } => text,
        PartKind::Tool(_) | PartKind::Other => "",
    }
}

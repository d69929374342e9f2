//! The last known state of a thread, and the events of a change.

use skein_catalog::leases::comment_count;
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::view::{StepView, ThreadRow};

use super::event::{ThreadEvent, first_line};

/// The last known state of a thread.
#[derive(Debug)]
pub(super) struct ThreadState {
    pub(super) row: ThreadRow,
    /// Author and body of each comment; they are not kept after they were compared.
    pub(super) comments: Vec<(String, String)>,
    pub(super) steps: Vec<StepView>,
    /// Whether the filter matches.
    pub(super) passes: bool,
}

impl ThreadState {
    /// Returns the events of a change from an older state, or of a thread that did not exist before.
    pub(super) fn events_since(&self, old: Option<&Self>, at: Time) -> Vec<ThreadEvent> {
        old.map_or_else(|| vec![self.created(at)], |old| self.changes_since(old, at))
    }

    fn created(&self, at: Time) -> ThreadEvent {
        let row = &self.row;
        let name = match row.kind {
            _ if !row.usable => "broken",
            Kind::Checkpoint if is_handoff(row) => "handoff",
            Kind::Checkpoint => "saved",
            Kind::Review | Kind::Session => "created",
        };
        let author = self.comments.last().map(|(author, _)| author.clone());
        ThreadEvent { by: author.or_else(|| worker(row)), ..ThreadEvent::new(name, row, at) }
    }

    fn changes_since(&self, old: &Self, at: Time) -> Vec<ThreadEvent> {
        let row = &self.row;
        let event = |name| ThreadEvent::new(name, row, at);
        match (old.row.usable, row.usable) {
            (true, false) => return vec![event("broken")],
            (false, true) => return vec![event("mended")],
            (false, false) => return Vec::new(),
            (true, true) => {}
        }
        let mut events = Vec::new();
        for (author, body) in self.comments.iter().skip(comment_count(&old.row)) {
            let by = Some(author.clone());
            events.push(ThreadEvent { by, text: first_line(body), ..event("replied") });
        }
        let by = events.last().and_then(|event| event.by.clone()).or_else(|| worker(row));
        let key = |step: &StepView| (step.id.clone(), step.step.clone(), step.status.clone());
        let old_steps: Vec<_> = old.steps.iter().map(key).collect();
        for step in self.steps.iter().filter(|step| !old_steps.contains(&key(step))) {
            let (text, by) = (first_line(&step.step), step.closed_by.clone());
            let (place, status) = (Some(step.id.clone()), Some(step.status.clone().into()));
            events.push(ThreadEvent { text, by, place, status, ..event("step") });
        }
        if is_handoff(row) && !is_handoff(&old.row) {
            events.push(ThreadEvent { by: by.clone(), ..event("handoff") });
        }
        if row.status != old.row.status {
            let name = match (row.kind, row.status.as_deref()) {
                (Kind::Review, Some("resolved")) => "resolved",
                (Kind::Review, _) => "reopened",
                _ => "status",
            };
            events.push(ThreadEvent { by, ..event(name) });
        }
        if events.is_empty() {
            events.push(event("edited"));
        }
        events
    }

    /// Returns the event of a thread that is gone: its last known state, under the name of its file.
    pub(super) fn removed(
        &self,
        name: &'static str,
        id: &str,
        file: String,
        at: Time,
    ) -> ThreadEvent {
        let event = ThreadEvent::new(name, &self.row, at);
        ThreadEvent { id: id.to_owned(), file, waiting_on: None, short_id: None, ..event }
    }
}

fn is_handoff(row: &ThreadRow) -> bool {
    row.checkpoint().is_some_and(|detail| detail.kind == "handoff")
}

fn worker(row: &ThreadRow) -> Option<String> {
    row.checkpoint()?.worker.as_ref()?.id.clone()
}

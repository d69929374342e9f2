//! What was last known of a thread, and what is told when that changes.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use skein_format::time::Time;
use skein_model::Kind;
use skein_model::view::{RowDetail, ThreadRow};
use skein_store::Trace;

use super::event::{ThreadEvent, first_line};

/// What was last known of a thread.
#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    title: String,
    status: Option<Cow<'static, str>>,
    place: Option<String>,
    usable: bool,
    comments: usize,
    /// A hash of each step.
    steps: Box<[u64]>,
    is_handoff: bool,
    /// A hash of all that counts.
    hash: u64,
    /// Whether it was one of those that are asked for.
    pub(super) passes: bool,
    /// What proves that the file has not changed since; none where it may have.
    pub(super) trace: Option<Trace>,
}

/// What a thread says.
pub(super) struct ThreadContent {
    pub(super) row: ThreadRow,
    /// A hash of all that counts.
    pub(super) hash: u64,
    pub(super) comments: Vec<Comment>,
    pub(super) steps: Vec<Step>,
    pub(super) passes: bool,
}

/// A comment of a review thread.
pub(super) struct Comment {
    pub(super) author: String,
    pub(super) body: String,
}

/// A step of a checkpoint.
pub(super) struct Step {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) status: String,
    pub(super) by: Option<String>,
}

/// Returns a number that tells texts apart within one run of the program.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Step {
    fn hash(&self) -> u64 {
        hash((&self.id, &self.text, &self.status))
    }
}

impl ThreadContent {
    /// Keeps what is needed to tell what changes next.
    pub(super) fn seen(&self) -> ThreadState {
        let comments = match &self.row.detail {
            RowDetail::Review(detail) => detail.comment_count,
            _ => 0,
        };
        ThreadState {
            title: self.row.title.clone(),
            status: self.row.status.clone(),
            place: ThreadEvent::new("", &self.row, Time::from_millis(0)).place,
            usable: self.row.usable,
            comments,
            steps: self.steps.iter().map(Step::hash).collect(),
            is_handoff: is_handoff(&self.row),
            hash: self.hash,
            passes: self.passes,
            trace: None,
        }
    }

    /// Tells of a thread that was not there before.
    pub(super) fn news(&self, at: Time) -> ThreadEvent {
        let row = &self.row;
        let name = match row.kind {
            _ if !row.usable => "broken",
            Kind::Checkpoint if is_handoff(row) => "handoff",
            Kind::Checkpoint => "saved",
            Kind::Review | Kind::Session => "created",
        };
        let author = self.comments.last().map(|comment| comment.author.clone());
        ThreadEvent { by: author.or_else(|| worker(row)), ..ThreadEvent::new(name, row, at) }
    }

    /// Tells of what happened to a thread since it was last seen.
    pub(super) fn since(&self, seen: &ThreadState, at: Time) -> Vec<ThreadEvent> {
        let row = &self.row;
        let tell = |name| ThreadEvent::new(name, row, at);
        if self.hash == seen.hash {
            return Vec::new();
        }
        match (seen.usable, row.usable) {
            (true, false) => return vec![tell("broken")],
            (false, true) => return vec![tell("mended")],
            (false, false) => return Vec::new(),
            (true, true) => {}
        }
        let mut events = Vec::new();
        for comment in self.comments.iter().skip(seen.comments) {
            let by = Some(comment.author.clone());
            events.push(ThreadEvent { by, text: first_line(&comment.body), ..tell("replied") });
        }
        let by = events.last().and_then(|event| event.by.clone()).or_else(|| worker(row));
        for step in self.steps.iter().filter(|step| !seen.steps.contains(&step.hash())) {
            let (text, by) = (first_line(&step.text), step.by.clone());
            let (place, status) = (Some(step.id.clone()), Some(step.status.clone().into()));
            events.push(ThreadEvent { text, by, place, status, ..tell("step") });
        }
        if is_handoff(row) && !seen.is_handoff {
            events.push(ThreadEvent { by: by.clone(), ..tell("handoff") });
        }
        if row.status != seen.status {
            let name = match (row.kind, row.status.as_deref()) {
                (Kind::Review, Some("resolved")) => "resolved",
                (Kind::Review, _) => "reopened",
                _ => "status",
            };
            events.push(ThreadEvent { by, ..tell(name) });
        }
        if events.is_empty() {
            events.push(tell("edited"));
        }
        events
    }
}

impl ThreadState {
    /// Tells of a thread that is not there any more.
    pub(super) fn gone(
        &self,
        name: &'static str,
        kind: Kind,
        id: &str,
        file: String,
        at: Time,
    ) -> ThreadEvent {
        ThreadEvent {
            at,
            kind,
            id: id.to_owned(),
            event: name,
            title: self.title.clone(),
            by: None,
            text: None,
            file,
            place: self.place.clone(),
            state: None,
            status: self.status.clone(),
            waiting_on: None,
            short_id: None,
        }
    }

    /// Returns whether it could be used.
    pub(super) fn is_usable(&self) -> bool {
        self.usable
    }
}

fn is_handoff(row: &ThreadRow) -> bool {
    matches!(&row.detail, RowDetail::Checkpoint(detail) if detail.kind == "handoff")
}

fn worker(row: &ThreadRow) -> Option<String> {
    match &row.detail {
        RowDetail::Checkpoint(detail) => detail.worker.as_ref()?.id.clone(),
        _ => None,
    }
}

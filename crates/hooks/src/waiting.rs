//! Finds the review threads that wait on the agent, within a time limit.

use std::time::Instant;

use skein_catalog::leases::Claims;
use skein_catalog::rows::review;
use skein_model::Turn;
use skein_model::normalize_path::stem;
use skein_model::person_names::is_name_of;
use skein_model::view::RowDetail;
use skein_store::Revision;

use super::call::HookCall;

/// The threads that wait on the agent.
pub(super) struct Waiting {
    /// Their ids. Finding the current location of their code would take too long for a hook.
    pub(super) threads: Vec<String>,
    /// Whether all threads were read.
    pub(super) is_complete: bool,
    /// Each thread with the time of its last change.
    versions: Vec<String>,
}

/// Finds the threads that wait on the agent; `None` if there are none.
///
/// An agent that `deliver` started works on the threads that were delivered to it, and on no others.
pub(super) fn waiting(call: &HookCall) -> Option<Waiting> {
    let reviews = &call.workspace.reviews;
    if !reviews.exists || !call.trusts(&reviews.root) {
        return None;
    }
    let entries = reviews.threads().read_dir().ok()?;
    let mut waiting = Waiting { threads: Vec::new(), is_complete: true, versions: Vec::new() };
    let until = Instant::now() + call.time_left();
    let (claims, session) = (Claims::read(&call.workspace), call.session());
    let is_delivered = call.is_delivered();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if Instant::now() > until {
            waiting.is_complete = false;
            break;
        }
        let name = stem(&path);
        let is_thread = path.extension().is_some_and(|end| end == "md") && !name.starts_with('.');
        let Some(snapshot) = skein_store::read(&path).ok().filter(|_| is_thread) else { continue };
        let places = (reviews, &call.workspace.settings);
        let row = review::row_with(&snapshot.bytes, Vec::new(), &path, places);
        if let RowDetail::Review(detail) = &row.detail
            && detail.waiting_on == Some(Turn::Agent)
            && detail
                .waiting_on_name
                .as_deref()
                .is_none_or(|name| is_name_of(name, call.agent.name()))
            && !claims.is_taken(&row, session.as_deref())
            && (!is_delivered || claims.lease(&row).is_some())
        {
            let changed = row.updated_at.map(|at| at.to_string()).unwrap_or_default();
            waiting.versions.push(format!("{name} {changed} {}", detail.comment_count));
            waiting.threads.push(name);
        }
    }
    waiting.threads.sort();
    waiting.versions.sort();
    Some(waiting).filter(|waiting| !waiting.threads.is_empty())
}

impl Waiting {
    /// Returns a hash of the versions of the threads. It is the same for all incomplete lists.
    pub(super) fn fingerprint(&self) -> String {
        let all = if self.is_complete { self.versions.join("\n") } else { "too many".to_owned() };
        Revision::from_bytes(all.as_bytes()).to_string()
    }

    /// Returns the number of threads, as the start of a sentence.
    pub(super) fn count(&self) -> String {
        let least = if self.is_complete { "" } else { "at least " };
        match self.threads.len() {
            1 => format!("{least}1 review thread of this workspace waits"),
            count => format!("{least}{count} review threads of this workspace wait"),
        }
    }
}

//! Reduces several entries of a session to one.

use std::collections::HashMap;
use std::mem;

use super::mapping::Mapping;
use super::status::SessionStatus;
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::time::{self, Time};

/// Keeps the effective entry of each session, in the order of the file, and reports the others.
///
/// The later activity wins, compared as an instant; on a tie the later entry. `ended` is final: if any
/// entry of a session has ended, so has the effective one, at the earliest known end.
pub(super) fn dedup_reporting(
    bytes: &[u8],
    mappings: &mut Vec<Mapping<'_>>,
    findings: &mut DiagnosticList,
) {
    settle(mappings, |first, second| report(bytes, first, second, findings));
}

/// Keeps the effective entry of each session, and reports nothing.
pub(super) fn fold(mappings: &mut Vec<Mapping<'_>>) {
    settle(mappings, |_, _| ());
}

fn settle<'a>(mappings: &mut Vec<Mapping<'a>>, mut report: impl FnMut(&Mapping<'a>, &Mapping<'a>)) {
    let duplicates = duplicates(mappings);
    if duplicates.is_empty() {
        return;
    }
    let mut times: Vec<Times> = mappings.iter().map(Times::from_mapping).collect();
    let mut removed = vec![false; mappings.len()];
    for (of, n) in duplicates {
        let Ok([kept, other]) = mappings.get_disjoint_mut([of, n]) else {
            continue;
        };
        let Ok([kept_times, other_times]) = times.get_disjoint_mut([of, n]) else {
            continue;
        };
        report(kept, other);
        resolve((kept, kept_times), (other, other_times));
        if let Some(removed) = removed.get_mut(n) {
            *removed = true;
        }
    }
    let mut removed = removed.into_iter();
    mappings.retain(|_| !removed.next().unwrap_or(false));
}

/// Returns the repeated entries of sessions, each with the position of the first one.
fn duplicates(mappings: &[Mapping<'_>]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(mappings.len());
    let mut duplicates = Vec::new();
    for (n, mapping) in mappings.iter().enumerate() {
        let of = *first.entry(mapping.session_id.as_ref()).or_insert(n);
        if of != n {
            duplicates.push((of, n));
        }
    }
    duplicates
}

/// The times that decide between two entries, parsed once for each of them.
pub(super) struct Times {
    /// The last activity.
    pub(super) activity: Option<Time>,
    /// The end, if the session has ended.
    ended: Option<Time>,
}

impl Times {
    /// Reads the times of an entry.
    pub(super) fn from_mapping(mapping: &Mapping<'_>) -> Self {
        let ended_at = mapping.ended_at.as_deref().filter(|_| has_ended(mapping));
        let ended = ended_at.and_then(time::parse).map(|parsed| parsed.time);
        Self { activity: mapping.last_activity(), ended }
    }
}

/// How two entries of one session were merged.
pub(super) struct Settled {
    /// Whether the other entry supplies the fields.
    pub(super) other_won: bool,
    /// Whether the end, or its time, was taken from the entry that lost.
    pub(super) end_taken: bool,
}

/// Merges two entries of one session into `kept`; the other one wins a tie.
pub(super) fn resolve<'a>(
    kept: (&mut Mapping<'a>, &mut Times),
    other: (&mut Mapping<'a>, &mut Times),
) -> Settled {
    let ((kept, kept_times), (other, other_times)) = (kept, other);
    let other_won = other_times.activity >= kept_times.activity;
    if other_won {
        mem::swap(kept, other);
        mem::swap(kept_times, other_times);
    }
    let (kept_ended, other_ended) = (has_ended(kept), has_ended(other));
    if !kept_ended && !other_ended {
        return Settled { other_won, end_taken: false };
    }
    kept.status = SessionStatus::Ended;
    let earlier = match (kept_times.ended, other_times.ended) {
        (Some(kept), Some(other)) => other < kept,
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (None, None) => other_ended && kept.ended_at.is_none() && other.ended_at.is_some(),
    };
    if earlier {
        kept.ended_at = other.ended_at.take();
        kept_times.ended = other_times.ended;
    }
    Settled { other_won, end_taken: earlier || !kept_ended }
}

fn has_ended(mapping: &Mapping<'_>) -> bool {
    mapping.status == SessionStatus::Ended
}

fn report(bytes: &[u8], first: &Mapping<'_>, second: &Mapping<'_>, findings: &mut DiagnosticList) {
    let at = (bytes, second.span.start);
    let id = brief(&second.session_id);
    if first.thread_root_post_id == second.thread_root_post_id {
        let message = format!("the session {id} appears more than once");
        findings.push_at(Code::SessionDuplicate, at, message);
    } else {
        let one = brief(&first.thread_root_post_id);
        let other = brief(&second.thread_root_post_id);
        let message = format!("the session {id} is bound to {one} and to {other}");
        findings.push_at(Code::SessionRootConflict, at, message);
    }
}

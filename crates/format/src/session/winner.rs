//! One entry for each session, where a file has several.

use std::collections::HashMap;
use std::mem;

use super::entry::{Mapping, SessionStatus};
use crate::diagnostic::{Code, Findings, brief};
use crate::span::line_of;
use crate::time::{self, Time};

/// Leaves the entry that counts for each session, in the order of the file.
///
/// The later activity wins, as an instant; on a tie the later entry. `ended` is final: if any entry of
/// a session has ended, so has the one that counts, at the earliest end that is known.
pub(super) fn keep_one_each(
    bytes: &[u8],
    mappings: &mut Vec<Mapping<'_>>,
    findings: &mut Findings,
) {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(mappings.len());
    let mut twins = Vec::new();
    for (n, mapping) in mappings.iter().enumerate() {
        if let Some(of) = first.get(mapping.session_id.as_ref()) {
            twins.push((*of, n));
        } else {
            first.insert(mapping.session_id.as_ref(), n);
        }
    }
    drop(first);
    if twins.is_empty() {
        return;
    }
    let mut times: Vec<Times> = mappings.iter().map(Times::of).collect();
    let mut gone = vec![false; mappings.len()];
    for (of, n) in twins {
        let Ok([kept, other]) = mappings.get_disjoint_mut([of, n]) else {
            continue;
        };
        let Ok([kept_times, other_times]) = times.get_disjoint_mut([of, n]) else {
            continue;
        };
        report(bytes, kept, other, findings);
        resolve((kept, kept_times), (other, other_times));
        if let Some(gone) = gone.get_mut(n) {
            *gone = true;
        }
    }
    let mut gone = gone.into_iter();
    mappings.retain(|_| !gone.next().unwrap_or(false));
}

/// The instants that decide between two entries, read once for each of them.
struct Times {
    activity: Option<Time>,
    ended: Option<Time>,
}

impl Times {
    fn of(mapping: &Mapping<'_>) -> Self {
        let ended = mapping.ended_at.as_deref().and_then(time::parse);
        Self { activity: mapping.last_activity(), ended: ended.map(|parsed| parsed.time) }
    }
}

/// Leaves what counts of two entries of one session in `kept`; the other one wins a tie.
fn resolve<'a>(kept: (&mut Mapping<'a>, &mut Times), other: (&mut Mapping<'a>, &mut Times)) {
    let ((kept, kept_times), (other, other_times)) = (kept, other);
    if other_times.activity >= kept_times.activity {
        mem::swap(kept, other);
        mem::swap(kept_times, other_times);
    }
    if kept.status != SessionStatus::Ended && other.status != SessionStatus::Ended {
        return;
    }
    kept.status = SessionStatus::Ended;
    let earlier = match (kept_times.ended, other_times.ended) {
        (Some(kept), Some(other)) => other < kept,
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (None, None) => kept.ended_at.is_none(),
    };
    if earlier {
        kept.ended_at = other.ended_at.take();
        kept_times.ended = other_times.ended;
    }
}

fn report(bytes: &[u8], first: &Mapping<'_>, second: &Mapping<'_>, findings: &mut Findings) {
    let line = (!findings.is_full()).then(|| line_of(bytes, second.span.start));
    let id = brief(&second.session_id);
    if first.thread_root_post_id == second.thread_root_post_id {
        let message = format!("the session {id} stands more than once");
        findings.push(Code::SessionDuplicate, line, message);
    } else {
        let one = brief(&first.thread_root_post_id);
        let other = brief(&second.thread_root_post_id);
        let message = format!("the session {id} is bound to {one} and to {other}");
        findings.push(Code::SessionRootConflict, line, message);
    }
}

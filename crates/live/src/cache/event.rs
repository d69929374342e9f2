//! What changed, one number after the other.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::locked;

/// Maximum number of events that are kept.
const CAPACITY: usize = 256;

/// Something that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeEvent {
    /// Its number; a later event has a greater one, also after a restart.
    pub number: u64,
    /// The threads and drafts that say something else, are somewhere else, came or went.
    pub threads: Vec<String>,
    /// The checkpoints that say something else, came or went, or that work was handed over with.
    pub checkpoints: Vec<String>,
    /// Whether the session map may say something else.
    pub sessions: bool,
    /// The files under review that have another content, relative to the root of the reviews.
    pub files: Vec<String>,
    /// Whether the repository has something else checked out or staged, or other references.
    pub repository: bool,
    /// Whether something else is open in other worktrees of the repository.
    pub other_worktrees: bool,
    /// Whether anything at all may have changed.
    pub everything: bool,
}

impl ChangeEvent {
    /// Returns whether it tells of nothing.
    pub(super) fn is_empty(&self) -> bool {
        let Self { number: _, threads, checkpoints, sessions, files, repository, .. } = self;
        let Self { other_worktrees, everything, .. } = self;
        let is_listed = threads.is_empty() && checkpoints.is_empty() && files.is_empty();
        is_listed && !sessions && !repository && !other_worktrees && !everything
    }
}

/// The last events, and those who wait for the next.
pub(super) struct EventLog {
    kept: Mutex<Kept>,
    more: Condvar,
}

struct Kept {
    last: u64,
    events: VecDeque<ChangeEvent>,
}

impl EventLog {
    /// Begins with a number that is greater than those of an earlier run.
    pub(super) fn new(start: u64) -> Self {
        let kept = Kept { last: start, events: VecDeque::new() };
        Self { kept: Mutex::new(kept), more: Condvar::new() }
    }

    /// Returns the number of the last event.
    pub(super) fn last(&self) -> u64 {
        locked(&self.kept).last
    }

    /// Adds an event that tells of something, and returns its number.
    pub(super) fn add(&self, event: ChangeEvent) -> u64 {
        let mut kept = locked(&self.kept);
        if event.is_empty() {
            return kept.last;
        }
        kept.last += 1;
        let number = kept.last;
        kept.events.push_back(ChangeEvent { number, ..event });
        if kept.events.len() > CAPACITY {
            kept.events.pop_front();
        }
        drop(kept);
        self.more.notify_all();
        number
    }

    /// Returns the events after a number, waiting for the first; none when there was none in time.
    ///
    /// Of a number that is not known there is no telling what came after it.
    pub(super) fn after(&self, number: u64, timeout: Duration) -> Vec<ChangeEvent> {
        let deadline = Instant::now() + timeout;
        let mut kept = locked(&self.kept);
        loop {
            if let Some(events) = kept.after(number) {
                return events;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Vec::new();
            }
            let waited = self.more.wait_timeout(kept, left);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Kept {
    fn after(&self, number: u64) -> Option<Vec<ChangeEvent>> {
        if number == self.last {
            return None;
        }
        let first = self.events.front().map_or(self.last + 1, |event| event.number);
        if number > self.last || number + 1 < first {
            let number = self.last;
            return Some(vec![ChangeEvent { number, everything: true, ..ChangeEvent::default() }]);
        }
        Some(self.events.iter().filter(|event| event.number > number).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str) -> ChangeEvent {
        ChangeEvent { threads: vec![id.to_owned()], ..ChangeEvent::default() }
    }

    fn check(log: &EventLog, after: u64, expected: &str) {
        let shown: Vec<String> = log
            .after(after, Duration::ZERO)
            .iter()
            .map(|event| match event.everything {
                true => format!("{} all", event.number),
                false => format!("{} {}", event.number, event.threads.concat()),
            })
            .collect();
        assert_eq!(shown.join(", "), expected);
    }

    #[test]
    fn whoever_knows_a_number_gets_what_came_after_it() {
        let log = EventLog::new(10);
        check(&log, 10, "");
        assert_eq!(
            (log.add(event("a")), log.add(ChangeEvent::default()), log.add(event("b"))),
            (11, 11, 12)
        );
        check(&log, 10, "11 a, 12 b");
        check(&log, 11, "12 b");
        check(&log, 12, "");
    }

    #[test]
    fn an_unknown_number_means_everything() {
        let log = EventLog::new(10);
        check(&log, 0, "10 all");
        check(&log, 11, "10 all");
        for _ in 0..=CAPACITY {
            log.add(event("a"));
        }
        check(&log, 10, "267 all");
        assert_eq!(log.after(11, Duration::ZERO).len(), CAPACITY);
    }
}

//! Numbered events.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use skein_store::Waker;

use super::locked;

/// Maximum number of events that are kept.
const MAX_EVENTS: usize = 256;

/// A change of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeEvent {
    /// The number; later events have greater ones, also after a restart.
    pub number: u64,
    /// The threads and drafts that changed, moved, were created or deleted.
    pub threads: Vec<String>,
    /// The checkpoints that changed, were created or deleted, or became the target of the handoff.
    pub checkpoints: Vec<String>,
    /// Whether the session map may have changed.
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
    /// Returns whether nothing changed.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self { number: self.number, ..Self::default() }
    }
}

/// The last events, and a condition for the next.
pub(super) struct EventLog {
    log: Mutex<LoggedEvents>,
    more: Condvar,
    /// Ends the wait of a watcher after each event.
    waker: Mutex<Option<Waker>>,
}

struct LoggedEvents {
    last: u64,
    events: VecDeque<ChangeEvent>,
}

impl EventLog {
    /// Creates a log whose numbers are greater than those of an earlier run.
    pub(super) fn new(start: u64) -> Self {
        let log = LoggedEvents { last: start, events: VecDeque::new() };
        Self { log: Mutex::new(log), more: Condvar::new(), waker: Mutex::default() }
    }

    pub(super) fn set_waker(&self, waker: Option<Waker>) {
        *locked(&self.waker) = waker;
    }

    /// Returns the number of the last event.
    pub(super) fn last(&self) -> u64 {
        locked(&self.log).last
    }

    /// Adds an event unless it is empty, and returns the last number.
    pub(super) fn add(&self, event: ChangeEvent) -> u64 {
        let mut log = locked(&self.log);
        if event.is_empty() {
            return log.last;
        }
        log.last += 1;
        let number = log.last;
        log.events.push_back(ChangeEvent { number, ..event });
        if log.events.len() > MAX_EVENTS {
            log.events.pop_front();
        }
        drop(log);
        self.more.notify_all();
        if let Some(waker) = &*locked(&self.waker) {
            waker.wake();
        }
        number
    }

    /// Returns the events after a number, waiting for the first; none when there was none in time.
    ///
    /// An unknown number gives one event that says that everything may have changed.
    pub(super) fn after(&self, number: u64, timeout: Duration) -> Vec<ChangeEvent> {
        let deadline = Instant::now() + timeout;
        let mut log = locked(&self.log);
        loop {
            if let Some(events) = log.after(number) {
                return events;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Vec::new();
            }
            let waited = self.more.wait_timeout(log, left);
            log = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl LoggedEvents {
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
    fn a_number_gives_the_events_after_it() {
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
    fn an_unknown_number_gives_one_event_for_everything() {
        let log = EventLog::new(10);
        check(&log, 0, "10 all");
        check(&log, 11, "10 all");
        for _ in 0..=MAX_EVENTS {
            log.add(event("a"));
        }
        check(&log, 10, "267 all");
        assert_eq!(log.after(11, Duration::ZERO).len(), MAX_EVENTS);
    }
}

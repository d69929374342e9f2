//! Reports review threads whose code is at another location.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use skein_model::view::{PlacementState, ThreadView};
use skein_store::Waker;
use skein_workspace::Env;

use super::event::ThreadEvent;
use crate::cache::LiveWorkspace;

/// The last reported location of the code of each thread and draft.
pub(super) struct MovedCode {
    live: LiveWorkspace,
    last_event: u64,
    /// By the file of the thread. Those of deleted threads stay.
    reported: BTreeMap<String, Location>,
}

/// A location such as `src/a.rs:12`, and what is known of the code there.
type Location = (String, PlacementState);

impl MovedCode {
    /// Finds the code of all threads, and watches its files.
    pub(super) fn new(env: &Env) -> Self {
        let live = LiveWorkspace::open_read_only(env);
        // The threads are read after this, so that no later change is missed.
        let last_event = live.last_event_number();
        let mut code = Self { live, last_event, reported: BTreeMap::new() };
        code.find_moved();
        code
    }

    /// Makes each change end the wait of another watcher.
    pub(super) fn wake(&self, waker: Option<Waker>) {
        self.live.wake_on_event(waker);
    }

    /// Returns the threads and drafts whose code may be elsewhere than last reported.
    pub(super) fn next(&mut self) -> Vec<Arc<ThreadView>> {
        let events = self.live.events_after(self.last_event, Duration::ZERO);
        let Some(last) = events.last() else { return Vec::new() };
        self.last_event = last.number;
        self.find_moved()
    }

    fn find_moved(&mut self) -> Vec<Arc<ThreadView>> {
        let threads = self.live.threads();
        let has_moved = |view: &&Arc<ThreadView>| {
            let Some(placement) = view.placement() else { return false };
            let location = (placement.at(), placement.state);
            let file = view.row.file.display().to_string();
            *self.reported.entry(file).or_insert_with(|| location.clone()) != location
        };
        threads.views.iter().chain(&threads.drafts).filter(has_moved).cloned().collect()
    }

    /// Records the locations in events, and removes events of code that is still where it was last reported.
    ///
    /// The events have the current locations; those in [`Self::next`] may be older.
    pub(super) fn record(&mut self, events: &mut Vec<ThreadEvent>) {
        events.retain(|event| {
            let is_moved = event.event == "moved";
            if !is_moved && event.event != "created" {
                return true;
            }
            let (Some(place), Some(state)) = (&event.place, event.state) else { return !is_moved };
            let location = (place.clone(), state);
            let earlier = self.reported.insert(event.file.clone(), location.clone());
            !is_moved || earlier != Some(location)
        });
    }
}

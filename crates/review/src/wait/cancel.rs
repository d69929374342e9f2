//! Ends a wait from another thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use skein_store::{DirWatcher, Waker};

/// How often a wait that nothing can wake looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Ends a wait from another thread: the current one, or the next.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<CancelState>>);

#[derive(Debug, Default)]
struct CancelState {
    is_cancelled: bool,
    waker: Option<Waker>,
}

impl Cancel {
    pub fn cancel(&self) {
        let mut state = self.state();
        state.is_cancelled = true;
        if let Some(waker) = &state.waker {
            waker.wake();
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    fn state(&self) -> MutexGuard<'_, CancelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, for the end of the pause, or until it is cancelled.
    pub(super) fn pause(&self, watcher: &mut DirWatcher<()>, pause: Duration) {
        let waker = watcher.waker();
        let can_wake = waker.is_some();
        self.state().waker = waker;
        let end = Instant::now() + pause;
        while !self.is_cancelled() {
            let left = end.saturating_duration_since(Instant::now());
            if can_wake || left.is_zero() {
                watcher.wait(left);
                return;
            }
            std::thread::park_timeout(left.min(POLL_INTERVAL));
        }
    }
}

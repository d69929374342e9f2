//! Ends all waits when the input ends.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skein_review::Cancel;
use tokio::sync::watch;

/// The waits in progress, and whether the input has ended.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    waits: Mutex<Waits>,
    ended: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Waits {
    is_over: bool,
    cancels: Vec<Cancel>,
}

impl Ending {
    /// Returns a new way to cancel a wait, which the end of the input uses too.
    pub(crate) fn cancel(&self) -> Cancel {
        let cancel = Cancel::default();
        let mut waits = self.waits();
        waits.cancels.retain(|other| !other.is_cancelled());
        if waits.is_over {
            cancel.cancel();
        } else {
            waits.cancels.push(cancel.clone());
        }
        cancel
    }

    /// The input has ended.
    pub(crate) fn end(&self) {
        let mut waits = self.waits();
        waits.is_over = true;
        waits.cancels.drain(..).for_each(|cancel| cancel.cancel());
        self.ended.send_replace(true);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.waits().is_over
    }

    /// Waits until the input has ended.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as this.
        drop(self.ended.subscribe().wait_for(|ended| *ended).await);
    }

    /// Waits until the input has ended, and for some time after it.
    pub(crate) async fn is_over(&self, timeout: Duration) {
        self.ended().await;
        tokio::time::sleep(timeout).await;
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

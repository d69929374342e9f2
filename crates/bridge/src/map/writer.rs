//! Saves the session map on a thread of its own: a save waits for the disk, and for other programs that have locked the map.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::{BridgeMap, MapChange};
use crate::core::ids::SessionId;

/// How often the map is compared with the entries of the bridge.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Time until a save that failed is repeated; twice as long after each further failure.
const MIN_RETRY_INTERVAL: Duration = Duration::from_secs(1);
const MAX_RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// Takes changes of the map in order. Those that wait are saved together.
pub(crate) struct MapWriter {
    /// Without a limit: a session changes its entry at most once a minute, apart from its title and status.
    changes: Sender<MapChange>,
    /// Nothing is sent; it is closed when the thread ends.
    end: oneshot::Receiver<()>,
}

impl MapWriter {
    /// Starts the thread. The receiver gets the sessions that other programs end in the map.
    pub(crate) fn start(map: BridgeMap) -> io::Result<(Self, mpsc::UnboundedReceiver<SessionId>)> {
        let (changes, receiver) = channel();
        let (running, end) = oneshot::channel();
        let (ended, ended_receiver) = mpsc::unbounded_channel();
        Builder::new().name("map".to_owned()).spawn(move || {
            run(map, &receiver, &ended);
            drop(running);
        })?;
        Ok((Self { changes, end }, ended_receiver))
    }

    /// Takes a change without waiting for the disk; false if the thread has failed.
    pub(crate) fn send(&self, change: MapChange) -> bool {
        self.changes.send(change).is_ok()
    }

    /// Saves what is left. A save that fails now is made when the next bridge starts.
    pub(crate) async fn finish(self) {
        drop(self.changes);
        drop(self.end.await);
    }
}

/// Saves changes until there is no sender any more.
fn run(
    mut map: BridgeMap,
    changes: &Receiver<MapChange>,
    ended: &mpsc::UnboundedSender<SessionId>,
) {
    let mut wait = CHECK_INTERVAL;
    let mut retry_interval = MIN_RETRY_INTERVAL;
    loop {
        let received = changes.recv_timeout(wait);
        if let Ok(change) = &received {
            map.apply(change);
        }
        changes.try_iter().for_each(|change| map.apply(&change));
        match map.save() {
            Ok(()) => (wait, retry_interval) = (CHECK_INTERVAL, MIN_RETRY_INTERVAL),
            Err(error) => {
                tracing::warn!("the session map cannot be written: {error}");
                wait = retry_interval;
                retry_interval = (retry_interval * 2).min(MAX_RETRY_INTERVAL);
            }
        }
        for session in map.take_ended() {
            // The receiver is gone only when the bridge ends.
            drop(ended.send(session));
        }
        if matches!(received, Err(RecvTimeoutError::Disconnected)) {
            return;
        }
    }
}

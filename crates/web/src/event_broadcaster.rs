//! Passes changes of the workspace on to the event streams of the browsers.

use std::sync::Arc;
use std::time::Duration;

use skein_live::{ChangeEvent, LiveWorkspace};
use tokio::sync::{Semaphore, broadcast};

use crate::stop::ShutdownHandle;

/// The maximum number of events that a slow browser may miss before it has to fetch everything again.
const EVENT_BUFFER: usize = 256;

/// The maximum number of event streams; the tabs of a browser share one stream.
const MAX_STREAMS: usize = 128;

/// How often the thread checks whether the server stops.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Sends the changes of the workspace to every connected page.
#[derive(Debug)]
pub(crate) struct EventBroadcaster {
    /// Identifies this start of the server.
    boot: String,
    pub(crate) sender: broadcast::Sender<Arc<ChangeEvent>>,
    pub(crate) streams: Arc<Semaphore>,
}

impl EventBroadcaster {
    /// Starts a thread that sends events until the server stops.
    pub(crate) fn start(live: Arc<LiveWorkspace>, boot: &str, shutdown: ShutdownHandle) -> Self {
        let (sender, _) = broadcast::channel(EVENT_BUFFER);
        let events = sender.clone();
        let mut last = live.last_event_number();
        std::thread::spawn(move || {
            while !shutdown.is_stopped() {
                for event in live.events_after(last, POLL_INTERVAL) {
                    last = event.number;
                    // Fails if no browser listens.
                    drop(events.send(Arc::new(event)));
                }
            }
        });
        let streams = Arc::new(Semaphore::new(MAX_STREAMS));
        Self { boot: boot.replace('-', ""), sender, streams }
    }

    /// Returns the id of an event, after which a stream can continue.
    pub(crate) fn event_id(&self, number: u64) -> String {
        format!("{}-{number}", self.boot)
    }

    /// Returns the number of an event, if the event is of this start of the server.
    pub(crate) fn event_number(&self, id: &str) -> Option<u64> {
        let (boot, number) = id.split_once('-')?;
        (boot == self.boot).then(|| number.parse().ok()).flatten()
    }
}

//! Tells browsers what changed, as it happens.

mod feed;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use skein_live::{ChangeEvent, LiveWorkspace};
use tokio::sync::{Semaphore, broadcast};

use crate::stop::ShutdownHandle;

pub(crate) use stream::events;

/// How many events a browser may be behind before it has to fetch everything again.
const BEHIND: usize = 256;

/// How many browsers may listen at once; each of them shares one stream among its tabs.
const STREAMS: usize = 128;

/// How often one looks whether the server ends.
const PAUSE: Duration = Duration::from_millis(250);

/// Sends the changes of the workspace to every connected page.
#[derive(Debug)]
pub(crate) struct EventBroadcaster {
    /// Tells this run of the server from any other.
    boot: String,
    sender: broadcast::Sender<Arc<ChangeEvent>>,
    places: Arc<Semaphore>,
}

impl EventBroadcaster {
    /// Begins to pass on what happens, in a thread of its own, until the server ends.
    pub(crate) fn start(desk: Arc<LiveWorkspace>, boot: &str, stopper: ShutdownHandle) -> Self {
        let (sender, _) = broadcast::channel(BEHIND);
        let tell = sender.clone();
        let mut last = desk.last_event_number();
        std::thread::spawn(move || {
            while !stopper.is_stopped() {
                for event in desk.events_after(last, PAUSE) {
                    last = event.number;
                    // It is no matter whether somebody listens.
                    drop(tell.send(Arc::new(event)));
                }
            }
        });
        Self { boot: boot.replace('-', ""), sender, places: Arc::new(Semaphore::new(STREAMS)) }
    }

    /// Returns the name of a moment, by which a stream goes on from there: what `after` in the address of the stream takes.
    pub(crate) fn moment(&self, number: u64) -> String {
        format!("{}-{number}", self.boot)
    }

    /// Returns the number of a moment of this run.
    fn number(&self, moment: &str) -> Option<u64> {
        let (boot, number) = moment.split_once('-')?;
        (boot == self.boot).then(|| number.parse().ok()).flatten()
    }
}

//! A stream of events, as one browser has it.

use std::io::BufRead as _;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::client::Client;
use super::server::ServerAddress;
use crate::Outcome;

/// Something that changed, as the server tells it.
#[derive(Deserialize)]
pub(super) struct Event {
    pub(super) threads: Vec<String>,
    pub(super) files: Vec<String>,
    everything: bool,
}

/// Events with the times at which they came.
pub(super) struct Stream(Receiver<(Instant, Event)>);

impl Stream {
    /// Begins to listen, in a thread of its own that ends with the server or with the next event after the stream is
    /// dropped.
    pub(super) fn open(door: &ServerAddress) -> Outcome<Self> {
        let mut lines = Client::connect(door)?.listen("/events")?.lines();
        // The first message says that whatever happens from here on is told.
        for line in lines.by_ref() {
            if line?.starts_with("data:") {
                break;
            }
        }
        let (sender, receiver) = channel();
        thread::spawn(move || pass_on(lines, &sender));
        Ok(Self(receiver))
    }

    /// Waits for an event about something and returns when it came; what came before is left behind.
    pub(super) fn wait(
        &self,
        wanted: impl Fn(&Event) -> bool,
        within: Duration,
    ) -> Option<Instant> {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (at, event) = self.0.recv_timeout(left).ok()?;
            if event.everything || wanted(&event) {
                return Some(at);
            }
        }
    }

    /// Counts what has come.
    pub(super) fn count(&self) -> usize {
        self.0.try_iter().count()
    }
}

fn pass_on(
    lines: impl Iterator<Item = std::io::Result<String>>,
    sender: &Sender<(Instant, Event)>,
) {
    for line in lines.map_while(Result::ok) {
        let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
        if data.is_some_and(|event| sender.send((Instant::now(), event)).is_err()) {
            return;
        }
    }
}

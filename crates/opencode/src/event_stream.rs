use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::sse::Parser;
use crate::{EventKind, OpencodeClient, OpencodeError};

/// Number of events that wait for the consumer before reading pauses.
const MAX_WAITING: usize = 256;

/// What the event stream reports.
#[derive(Debug)]
pub enum OpencodeEvent {
    /// The stream begins, at first or again. What happened before has to be read by calls.
    ///
    /// It is reported twice for each stream: when the server says that the stream is open, and with what the server
    /// sends next, at most 10 seconds later. The server loses what happens between the two.
    Connected,
    Received {
        /// Absent for events that concern no directory.
        directory: Option<String>,
        kind: EventKind,
    },
    /// The stream ended and is opened again after a pause.
    Disconnected(OpencodeError),
}

/// When a stream counts as dead, and how long to wait before it is opened again.
#[derive(Clone, Copy, Debug)]
pub struct EventSettings {
    /// The server sends something every 10 seconds.
    pub silence_timeout: Duration,
    pub min_pause: Duration,
    pub max_pause: Duration,
}

impl Default for EventSettings {
    fn default() -> Self {
        Self {
            silence_timeout: Duration::from_secs(30),
            min_pause: Duration::from_millis(250),
            max_pause: Duration::from_secs(5),
        }
    }
}

/// The events of all directories of a server. Ends when it is dropped.
#[derive(Debug)]
pub struct OpencodeEvents {
    receiver: mpsc::Receiver<OpencodeEvent>,
    task: JoinHandle<()>,
}

impl OpencodeEvents {
    /// Waits for the next event. May be dropped without losing one.
    pub async fn next(&mut self) -> Option<OpencodeEvent> {
        self.receiver.recv().await
    }
}

impl Drop for OpencodeEvents {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl OpencodeClient {
    /// Follows the events of all directories, and connects again for ever. Needs a runtime of tokio.
    #[must_use]
    pub fn events(&self, settings: EventSettings) -> OpencodeEvents {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let client = self.clone();
        let task = tokio::spawn(async move { follow(&client, settings, &sender).await });
        OpencodeEvents { receiver, task }
    }
}

/// Ends when the receiver is gone.
async fn follow(
    client: &OpencodeClient,
    settings: EventSettings,
    sender: &mpsc::Sender<OpencodeEvent>,
) {
    let mut pause = settings.min_pause;
    loop {
        let mut has_connected = false;
        let Err(error) = read_stream(client, settings, sender, &mut has_connected).await else {
            return;
        };
        if sender.send(OpencodeEvent::Disconnected(error)).await.is_err() {
            return;
        }
        pause = if has_connected { settings.min_pause } else { pause };
        sleep(pause).await;
        pause = (pause * 2).min(settings.max_pause);
    }
}

/// Reads one response to its end, which is always an error, or until the receiver is gone.
async fn read_stream(
    client: &OpencodeClient,
    settings: EventSettings,
    sender: &mpsc::Sender<OpencodeEvent>,
    has_connected: &mut bool,
) -> Result<(), OpencodeError> {
    let silent = |_| OpencodeError::Silent;
    let opening = client.open_stream(&["global", "event"]);
    let mut response = timeout(settings.silence_timeout, opening).await.map_err(silent)??;
    let mut parser = Parser::default();
    let mut is_certain = false;
    loop {
        let chunk = timeout(settings.silence_timeout, response.chunk()).await.map_err(silent)??;
        for data in parser.push(&chunk.ok_or(OpencodeError::Closed)?)? {
            let event = parse(&data)?;
            let is_first = matches!(event, Some(OpencodeEvent::Connected));
            *has_connected |= is_first;
            let again = (!is_first && !is_certain).then_some(OpencodeEvent::Connected);
            is_certain |= !is_first;
            for event in again.into_iter().chain(event) {
                if sender.send(event).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Envelope {
    directory: Option<String>,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    name: String,
    #[serde(default)]
    properties: Value,
}

fn parse(data: &[u8]) -> Result<Option<OpencodeEvent>, OpencodeError> {
    let Envelope { directory, payload } =
        serde_json::from_slice(data).map_err(OpencodeError::Protocol)?;
    Ok(match payload.name.as_str() {
        "server.connected" => Some(OpencodeEvent::Connected),
        // Repeats an event as it is stored.
        "server.heartbeat" | "sync" => None,
        name => Some(OpencodeEvent::Received {
            directory,
            kind: EventKind::parse(name, &payload.properties),
        }),
    })
}

#[cfg(test)]
mod tests;

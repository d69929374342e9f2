//! Keeps a WebSocket open and reports what it says.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::connection::{Socket, open};
use crate::frame::Frame;
use crate::sequence::Sequence;
use crate::{MattermostClient, MattermostError, MattermostEvent};

/// Maximum number of events that wait for the consumer. Beyond it, the socket is not read.
const MAX_WAITING: usize = 256;

/// The events that the user of a token may see. Dropping it closes the connection.
pub struct MattermostEvents {
    receiver: mpsc::Receiver<MattermostEvent>,
    task: JoinHandle<()>,
}

impl MattermostEvents {
    /// Starts to connect, in a task of the current runtime.
    pub fn start(client: MattermostClient) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let task = tokio::spawn(async move {
            let mut listener = Listener { client, sender, sequence: Sequence::default() };
            // The consumer went away, or the token is not accepted any more.
            let Stop = listener.run().await;
        });
        Self { receiver, task }
    }

    /// Waits for the next event; none after [`MattermostEvent::Unauthorized`]. An event is not lost if the wait is
    /// cancelled.
    pub async fn next(&mut self) -> Option<MattermostEvent> {
        self.receiver.recv().await
    }
}

impl Drop for MattermostEvents {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The task ends.
struct Stop;

struct Listener {
    client: MattermostClient,
    sender: mpsc::Sender<MattermostEvent>,
    sequence: Sequence,
}

impl Listener {
    async fn run(&mut self) -> Stop {
        let timing = self.client.timing;
        let mut backoff = timing.min_backoff;
        loop {
            let start = Instant::now();
            let reason = match self.connect_once().await {
                Ok(reason) => reason,
                Err(Stop) => return Stop,
            };
            if self.sequence.is_reported() && start.elapsed() > timing.max_backoff {
                backoff = timing.min_backoff;
            }
            if self.emit(MattermostEvent::Disconnected { reason }).await.is_err() {
                return Stop;
            }
            sleep(backoff.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
            backoff = (backoff * 2).min(timing.max_backoff);
        }
    }

    /// Connects, and returns why the connection ended.
    async fn connect_once(&mut self) -> Result<String, Stop> {
        match open(&self.client, self.sequence.resume()).await {
            Ok(socket) => {
                self.sequence.start();
                self.read(socket).await
            }
            Err(MattermostError::Unauthorized) => {
                self.emit(MattermostEvent::Unauthorized).await?;
                Err(Stop)
            }
            Err(error) => Ok(error.chain()),
        }
    }

    /// Reads messages until the connection ends.
    async fn read(&mut self, mut socket: Socket) -> Result<String, Stop> {
        let ping_interval = self.client.timing.ping_interval;
        let mut pings = interval(ping_interval);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sent_pings = 0;
        let mut is_silent = false;
        loop {
            tokio::select! {
                message = socket.next() => {
                    is_silent = false;
                    let frame = match message {
                        Some(Ok(Message::Text(text))) => Frame::parse(&text),
                        Some(Ok(Message::Binary(_))) => Frame::Unknown,
                        Some(Ok(Message::Close(_))) | None => return Ok(closed()),
                        Some(Ok(_)) => continue,
                        Some(Err(error)) => return Ok(error.to_string()),
                    };
                    if frame == (Frame::Answer { error: Some(401) }) {
                        // The next attempt to connect finds out whether this is so.
                        return Ok(MattermostError::Unauthorized.to_string());
                    }
                    for event in self.sequence.accept(frame) {
                        self.emit(event).await?;
                    }
                }
                _ = pings.tick() => {
                    if is_silent {
                        return Ok("the Mattermost server does not answer".to_owned());
                    }
                    is_silent = true;
                    sent_pings += 1;
                    if let Err(reason) = send_ping(&mut socket, sent_pings, ping_interval).await {
                        return Ok(reason);
                    }
                }
            }
        }
    }

    async fn emit(&self, event: MattermostEvent) -> Result<(), Stop> {
        self.sender.send(event).await.map_err(|_| Stop)
    }
}

/// Sends a ping of Mattermost's own protocol: unlike one of the WebSocket it is answered in the order of the events,
/// and refused if the token is revoked.
async fn send_ping(socket: &mut Socket, number: u64, limit: Duration) -> Result<(), String> {
    let message = Message::text(format!(r#"{{"seq":{number},"action":"ping"}}"#));
    match timeout(limit, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(closed()),
    }
}

fn closed() -> String {
    "the Mattermost server closed the connection".to_owned()
}

//! The stream of events to one browser.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::header::CONTENT_TYPE;
use skein_live::ChangeEvent;
use skein_model::sanitize::to_json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{self, Sender, channel};

use crate::app_state::AppState;
use crate::error::WebError;
use crate::request::QueryParams;

/// How often a message is sent, so that both sides notice a broken connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The number of messages that are buffered for a browser that reads slowly.
const MESSAGE_BUFFER: usize = 16;

/// Streams the events after the last one that the browser or the address specifies, or from now on.
pub(crate) async fn events(
    State(app): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, WebError> {
    let permit = Arc::clone(&app.events.streams).try_acquire_owned().map_err(|_| {
        WebError::new(StatusCode::SERVICE_UNAVAILABLE, "too many browsers are connected")
            .hint("close some of the pages, and reload this one")
    })?;
    let seen = request.headers().get("last-event-id").map(|id| id.to_str().unwrap_or("?"));
    let params = QueryParams::from_uri(request.uri());
    let after = seen.filter(|id| !id.is_empty()).or_else(|| params.get("after")).map(str::to_owned);
    let (start, app) =
        tokio::task::spawn_blocking(move || (StreamStart::after(&app, after.as_deref()), app))
            .await
            .map_err(|_| WebError::broken())?;
    let (sender, receiver) = channel(MESSAGE_BUFFER);
    tokio::spawn(async move {
        tokio::select! {
            () = app.shutdown.stopped() => {}
            _ = send_events(&app, start, &sender) => {}
        }
        drop(permit);
    });
    let headers = [(CONTENT_TYPE, "text/event-stream")];
    Ok((headers, Body::new(StreamBody(receiver))).into_response())
}

/// A response body that ends when the sender is dropped.
struct StreamBody(mpsc::Receiver<Bytes>);

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

struct StreamStart {
    last: u64,
    missed: Vec<ChangeEvent>,
    /// Whether the missed events are unknown.
    reset: bool,
    receiver: Receiver<Arc<ChangeEvent>>,
}

impl StreamStart {
    fn after(app: &AppState, id: Option<&str>) -> Self {
        // Subscribes first, so that no event is lost while missed ones are looked up.
        let receiver = app.events.sender.subscribe();
        // After the `ready` message, the browser expects an event for each change.
        let latest = app.live.listen();
        let known = id.map(|id| app.events.event_number(id));
        let missed = match known {
            Some(Some(number)) => app.live.events_after(number, Duration::ZERO),
            _ => Vec::new(),
        };
        let is_unknown = |event: &ChangeEvent| event.everything && event.number == latest;
        let reset = known == Some(None) || matches!(&missed[..], [one] if is_unknown(one));
        let missed = if reset { Vec::new() } else { missed };
        Self { last: latest, missed, reset, receiver }
    }
}

/// The browser has disconnected.
struct Disconnected;

async fn send_events(
    app: &AppState,
    start: StreamStart,
    sender: &Sender<Bytes>,
) -> Result<(), Disconnected> {
    let StreamStart { mut last, missed, reset, mut receiver } = start;
    let ready = if reset { "reset" } else { "ready" };
    // The first message has the number before the missed events, so that they are sent again if the connection breaks.
    let first = marker(missed.first().map_or(last, |event| event.number - 1), reset);
    send(sender, format!("retry: 1000\n{}", message(app, Some(ready), &first))).await?;
    for event in &missed {
        last = last.max(event.number);
        send(sender, message(app, None, event)).await?;
    }
    loop {
        match tokio::time::timeout(HEARTBEAT, receiver.recv()).await {
            Err(_) => send(sender, ":\n\n".to_owned()).await?,
            Ok(Ok(event)) if event.number <= last => {}
            Ok(Ok(event)) => {
                last = event.number;
                send(sender, message(app, None, &event)).await?;
            }
            Ok(Err(RecvError::Lagged(_))) => {
                last = app.live.last_event_number();
                send(sender, message(app, Some("reset"), &marker(last, true))).await?;
            }
            Ok(Err(RecvError::Closed)) => return Ok(()),
        }
    }
}

/// Returns an event with only a number and whether everything has to be fetched again.
fn marker(number: u64, everything: bool) -> ChangeEvent {
    ChangeEvent { number, everything, ..ChangeEvent::default() }
}

async fn send(sender: &Sender<Bytes>, text: String) -> Result<(), Disconnected> {
    sender.send(Bytes::from(text)).await.map_err(|_| Disconnected)
}

fn message(app: &AppState, name: Option<&str>, event: &ChangeEvent) -> String {
    // Strings and numbers under string keys always serialise, and on one line.
    let data = to_json(event).unwrap_or_default();
    let data = String::from_utf8_lossy(&data);
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    format!("{name}id: {}\ndata: {data}\n\n", app.events.event_id(event.number))
}

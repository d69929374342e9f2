//! One stream of events, to one browser.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use skein_live::ChangeEvent;
use skein_model::sanitize::to_json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Sender, channel};

use super::feed::StreamBody;
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;

/// How often something is said, so that both sides notice when the other has gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What is written ahead of a browser that reads slowly.
const AHEAD: usize = 16;

/// Answers with what happens from a moment on: the one that the browser saw last, else the one that the address names,
/// else from the present one.
pub(crate) async fn events(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, WebError> {
    let place = Arc::clone(&site.live.places).try_acquire_owned().map_err(|_| {
        WebError::new(StatusCode::SERVICE_UNAVAILABLE, "too many browsers listen already")
            .hint("close some of the pages, and load this one again")
    })?;
    let seen = request.headers().get("last-event-id").map(|id| id.to_str().unwrap_or("?"));
    let pairs = QueryParams::from_uri(request.uri());
    let after = seen.filter(|id| !id.is_empty()).or_else(|| pairs.get("after")).map(str::to_owned);
    let (start, site) =
        tokio::task::spawn_blocking(move || (Start::resume_after(&site, after.as_deref()), site))
            .await
            .map_err(|_| WebError::broken())?;
    let (sender, receiver) = channel(AHEAD);
    tokio::spawn(async move {
        tokio::select! {
            () = site.stopper.stopped() => {}
            _ = tell(&site, start, &sender) => {}
        }
        drop(place);
    });
    let headers = [(CONTENT_TYPE, "text/event-stream")];
    Ok((headers, Body::new(StreamBody(receiver))).into_response())
}

/// Where a stream begins.
struct Start {
    last: u64,
    missed: Vec<ChangeEvent>,
    /// Whether nobody knows what was missed.
    reset: bool,
    receiver: Receiver<Arc<ChangeEvent>>,
}

impl Start {
    fn resume_after(site: &AppState, after: Option<&str>) -> Self {
        // What happens from here on is not lost while the past is looked up.
        let receiver = site.live.sender.subscribe();
        // A browser that is told that the stream is ready expects an event for each change from then on.
        let latest = site.desk.listen();
        let known = after.map(|moment| site.live.number(moment));
        let missed = match known {
            Some(Some(number)) => site.desk.events_after(number, Duration::ZERO),
            _ => Vec::new(),
        };
        let is_unknown = |event: &ChangeEvent| event.everything && event.number == latest;
        let reset = known == Some(None) || matches!(&missed[..], [one] if is_unknown(one));
        let missed = if reset { Vec::new() } else { missed };
        Self { last: latest, missed, reset, receiver }
    }
}

/// The browser has gone.
struct Gone;

async fn tell(site: &AppState, start: Start, sender: &Sender<Bytes>) -> Result<(), Gone> {
    let Start { mut last, missed, reset, mut receiver } = start;
    let ready = if reset { "reset" } else { "ready" };
    // The number of the first message is that before what was missed, so that none of it is lost with the connection.
    let first = everything(missed.first().map_or(last, |event| event.number - 1), reset);
    send(sender, format!("retry: 1000\n{}", message(site, Some(ready), &first))).await?;
    for event in &missed {
        last = last.max(event.number);
        send(sender, message(site, None, event)).await?;
    }
    loop {
        match tokio::time::timeout(HEARTBEAT, receiver.recv()).await {
            Err(_) => send(sender, ":\n\n".to_owned()).await?,
            Ok(Ok(event)) if event.number <= last => {}
            Ok(Ok(event)) => {
                last = event.number;
                send(sender, message(site, None, &event)).await?;
            }
            Ok(Err(RecvError::Lagged(_))) => {
                last = site.desk.last_event_number();
                send(sender, message(site, Some("reset"), &everything(last, true))).await?;
            }
            Ok(Err(RecvError::Closed)) => return Ok(()),
        }
    }
}

/// Says nothing but a number, and whether everything has to be fetched again.
fn everything(number: u64, everything: bool) -> ChangeEvent {
    ChangeEvent { number, everything, ..ChangeEvent::default() }
}

async fn send(sender: &Sender<Bytes>, text: String) -> Result<(), Gone> {
    sender.send(Bytes::from(text)).await.map_err(|_| Gone)
}

fn message(site: &AppState, name: Option<&str>, event: &ChangeEvent) -> String {
    // Strings and numbers under string keys always serialise, and on one line.
    let data = to_json(event).unwrap_or_default();
    let data = String::from_utf8_lossy(&data);
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    format!("{name}id: {}\ndata: {data}\n\n", site.live.moment(event.number))
}

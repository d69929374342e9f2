//! Takes connections, as many as make sense.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use super::seats::{Answer, Seat, Seats};
use super::stall::Stalling;
use crate::stop::ShutdownHandle;

/// How many connections are open at once; where more come, those go that wait for a request.
const CONNECTIONS: u32 = 256;

/// How long a connection that is asked to go may take to do so.
const MAKES_ROOM: Duration = Duration::from_millis(50);

/// How long a client may take to say what it wants.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// How long answers that have begun may take after the end.
const LAST_ANSWERS: Duration = Duration::from_millis(800);

/// What is kept of the head of a request, in bytes.
const MAX_HEAD_LEN: usize = 64 * 1024;

/// Answers connections until told to stop, and lets the open ones come to their end.
pub(super) async fn serve(listener: TcpListener, router: Router, stopper: &ShutdownHandle) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let seats = Seats::default();
    loop {
        let accepted = tokio::select! {
            () = stopper.stopped() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // The system has no more to give for the moment, such as open files.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let place = tokio::select! {
            () = stopper.stopped() => break,
            place = place(&places, &seats) => place,
        };
        tokio::spawn(answer(stream, router.clone(), stopper.clone(), (seats.add(), place)));
    }
    drop(listener);
    // Nobody can do more about those who do not end in time.
    drop(tokio::time::timeout(LAST_ANSWERS, places.acquire_many(CONNECTIONS)).await);
}

/// Waits for a place; connections that only wait give up theirs.
async fn place(places: &Arc<Semaphore>, seats: &Seats) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Some(place);
        }
        seats.close_one();
        let soon = tokio::time::timeout(MAKES_ROOM, Arc::clone(places).acquire_owned()).await;
        if let Ok(place) = soon {
            return place.ok();
        }
    }
}

async fn answer(
    stream: TcpStream,
    router: Router,
    stopper: ShutdownHandle,
    (seat, place): (Arc<Seat>, Option<OwnedSemaphorePermit>),
) {
    // An answer goes out at once or a little later.
    drop(stream.set_nodelay(true));
    let own = seat.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, seat) = (router.clone(), own.clone());
        seat.work();
        async move {
            let response = router.oneshot(request.map(Body::new)).await;
            let answer = |response: Response<Body>| response.map(|body| Answer::new(body, seat));
            response.map(answer)
        }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(MAX_HEAD_LEN);
    let connection = connection.serve_connection(TokioIo::new(Stalling::new(stream)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that goes away or talks nonsense is nothing to tell anybody.
        done = connection.as_mut() => drop(done),
        () = seat.closed() => {}
        () = stopper.stopped() => {
            connection.as_mut().graceful_shutdown();
            drop(tokio::time::timeout(LAST_ANSWERS, connection).await);
        }
    }
    drop(place);
}

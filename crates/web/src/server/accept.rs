//! Takes connections, as many as make sense.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::stop::Stopper;

/// How many connections are open at once; more of them wait.
const CONNECTIONS: u32 = 256;

/// How long a client may take to say what it wants.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// How long answers that have begun may take after the end.
const LAST_ANSWERS: Duration = Duration::from_millis(800);

/// What is kept of the head of a request, in bytes.
const LARGEST_HEAD: usize = 64 * 1024;

/// Answers connections until told to stop, and lets the open ones come to their end.
pub(super) async fn serve(listener: TcpListener, router: Router, stopper: &Stopper) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = stopper.stopped() => break,
            next = next => next,
        };
        match (accepted, place) {
            (Ok((stream, _)), Ok(place)) => {
                tokio::spawn(answer(stream, router.clone(), stopper.clone(), place));
            }
            // The system has no more to give for the moment, such as open files.
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    // Nobody can do more about those who do not end in time.
    drop(tokio::time::timeout(LAST_ANSWERS, places.acquire_many(CONNECTIONS)).await);
}

async fn answer(stream: TcpStream, router: Router, stopper: Stopper, place: OwnedSemaphorePermit) {
    // An answer goes out at once or a little later.
    drop(stream.set_nodelay(true));
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(LARGEST_HEAD);
    let connection =
        connection.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that goes away or talks nonsense is nothing to tell anybody.
        done = connection.as_mut() => drop(done),
        () = stopper.stopped() => {
            connection.as_mut().graceful_shutdown();
            drop(tokio::time::timeout(LAST_ANSWERS, connection).await);
        }
    }
    drop(place);
}

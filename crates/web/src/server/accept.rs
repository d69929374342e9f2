//! Accepts connections, up to a limit.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use super::connections::{BusyGuard, Connection, Connections};
use super::write_timeout::WriteTimeout;
use crate::stop::ShutdownHandle;

/// The maximum number of open connections. For a further one, the connection that has been idle for longest is closed.
const MAX_CONNECTIONS: u32 = 256;

/// How long an idle connection may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(50);

/// How long a client may take to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long running responses may take after the server is stopped.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(800);

/// The longest head of a request, in bytes.
const MAX_HEAD_LEN: usize = 64 * 1024;

/// Accepts connections until the server is stopped, and completes the open ones.
pub(super) async fn serve(listener: TcpListener, router: Router, shutdown: &ShutdownHandle) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
    let connections = Connections::default();
    loop {
        let accepted = tokio::select! {
            () = shutdown.stopped() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // A resource such as file descriptors is exhausted for the moment.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let permit = tokio::select! {
            () = shutdown.stopped() => break,
            permit = permit(&permits, &connections) => permit,
        };
        tokio::spawn(answer(stream, router.clone(), shutdown.clone(), (connections.add(), permit)));
    }
    drop(listener);
    drop(tokio::time::timeout(RESPONSE_TIMEOUT, permits.acquire_many(MAX_CONNECTIONS)).await);
}

/// Waits for a permit; closes idle connections.
async fn permit(
    permits: &Arc<Semaphore>,
    connections: &Connections,
) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
            return Some(permit);
        }
        connections.close_idle();
        let soon = tokio::time::timeout(CLOSE_TIMEOUT, Arc::clone(permits).acquire_owned()).await;
        if let Ok(permit) = soon {
            return permit.ok();
        }
    }
}

async fn answer(
    stream: TcpStream,
    router: Router,
    shutdown: ShutdownHandle,
    (tracked, permit): (Arc<Connection>, Option<OwnedSemaphorePermit>),
) {
    // This only affects latency.
    drop(stream.set_nodelay(true));
    let own = tracked.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, tracked) = (router.clone(), own.clone());
        tracked.set_busy();
        async move {
            let response = router.oneshot(request.map(Body::new)).await;
            let busy = BusyGuard(tracked);
            // The closure keeps the guard until the body is dropped.
            let guarded = move |error: axum::Error| {
                let _busy = &busy;
                error
            };
            response.map(|response| response.map(|body| body.map_err(guarded)))
        }
    });
    let mut connection = http1::Builder::new();
    connection
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEAD_LEN);
    let connection = connection.serve_connection(TokioIo::new(WriteTimeout::new(stream)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that disconnects or sends no HTTP is not an error of the server.
        done = connection.as_mut() => drop(done),
        () = tracked.closed() => {}
        () = shutdown.stopped() => {
            connection.as_mut().graceful_shutdown();
            drop(tokio::time::timeout(RESPONSE_TIMEOUT, connection).await);
        }
    }
    drop(permit);
}

//! Answers until told to stop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::accept;
use super::bind::{BindError, Bound};
use crate::router::router;
use crate::site::AppState;
use crate::stop::ShutdownHandle;

/// How long work that has begun may take after the end.
const LAST_WORK: Duration = Duration::from_millis(500);

/// How many requests are answered at once: reading files and asking git is what most of the time goes into. Each may hold a large page.
const BLOCKING_THREADS: usize = 8;

impl Bound {
    /// Answers until the program is told to end, or [`Self::stopper`] is used; where another process serves, not at all.
    ///
    /// What is being written when the end comes is written whole or not at all.
    pub fn run(self) -> Result<(), BindError> {
        let Some(listener) = self.listener else { return Ok(()) };
        let runtime = runtime().map_err(BindError::Start)?;
        let Self { env, keys, read_only, stopper, .. } = self;
        let site = Arc::new(AppState::open(env, keys, read_only, stopper.clone()));
        let router = router(&site);
        let done = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(stop_on_signal(stopper.clone()));
            accept::serve(listener, router, &stopper).await;
            Ok(())
        });
        runtime.shutdown_timeout(LAST_WORK);
        // Work that goes on after that keeps the site, and must not keep others running.
        site.neighbours.end();
        done.map_err(BindError::Start)
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
}

async fn stop_on_signal(stopper: ShutdownHandle) {
    let signals = signal(SignalKind::interrupt()).and_then(|interrupt| {
        signal(SignalKind::terminate()).map(|terminate| (interrupt, terminate))
    });
    // Without them the system's own way to end a program holds.
    let Ok((mut interrupt, mut terminate)) = signals else { return };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stopper.stop();
}

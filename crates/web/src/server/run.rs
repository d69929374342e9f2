//! Answers requests until the server is stopped.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::accept;
use super::bind::{BindError, Bound};
use super::workspace_servers::WorkspaceServers;
use crate::app_state::AppState;
use crate::router::router;
use crate::stop::ShutdownHandle;

/// How long running work may take after the server is stopped.
const WORK_TIMEOUT: Duration = Duration::from_millis(500);

/// The maximum number of requests that are answered at once. Most of their time is spent on reading files and running git; each may
/// hold a large page in memory.
const MAX_BLOCKING_THREADS: usize = 8;

impl Bound {
    /// Answers requests until a signal or [`Self::shutdown_handle`] stops the server. Returns at once if another process already serves
    /// the workspace.
    ///
    /// A write that is running then is either completed or has no effect.
    pub fn run(self) -> Result<(), BindError> {
        let Some(listener) = self.listener else { return Ok(()) };
        let runtime = runtime().map_err(BindError::Start)?;
        let Self { env, keys, read_only, chat_server, shutdown, .. } = self;
        let servers = Arc::new(WorkspaceServers::new(chat_server));
        let opener = Arc::clone(&servers);
        let open = Box::new(move |env, page: &str| opener.open(env, page));
        let (keys, shut) = ((keys, read_only), shutdown.clone());
        let app = Arc::new(AppState::open(&env, keys, chat_server, shut, open));
        let router = router(&app);
        let done = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(stop_on_signal(shutdown.clone()));
            accept::serve(listener, router, &shutdown).await;
            Ok(())
        });
        runtime.shutdown_timeout(WORK_TIMEOUT);
        // Work that is still running holds the state, and must not keep the other servers running.
        servers.stop();
        done.map_err(BindError::Start)
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build()
}

async fn stop_on_signal(shutdown: ShutdownHandle) {
    let signals = signal(SignalKind::interrupt()).and_then(|interrupt| {
        signal(SignalKind::terminate()).map(|terminate| (interrupt, terminate))
    });
    // Without handlers, the default action of the signals ends the program.
    let Ok((mut interrupt, mut terminate)) = signals else { return };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    shutdown.stop();
}

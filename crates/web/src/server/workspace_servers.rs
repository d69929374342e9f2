//! Servers of other workspaces, started from a page of this one.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use hyper::StatusCode;
use skein_review::ChangesQuery;
use skein_workspace::Env;

use super::bind::{BindError, ServeOptions, bind};
use crate::error::WebError;
use crate::stop::ShutdownHandle;

/// The servers that were started by this one; they stop with it.
pub(super) struct WorkspaceServers {
    running: Mutex<Vec<RunningServer>>,
    chat_server: fn(&Env) -> Option<String>,
}

struct RunningServer {
    shutdown: ShutdownHandle,
    running: Option<JoinHandle<()>>,
}

impl WorkspaceServers {
    pub(super) fn new(chat_server: fn(&Env) -> Option<String>) -> Self {
        Self { running: Mutex::default(), chat_server }
    }

    /// Finds or starts the server of the workspace at the directory of `env`, and returns a one-time link to one of its
    /// pages.
    ///
    /// It has its own port and secrets, as if `skein serve` had been started there.
    pub(super) fn open(&self, env: Env, page: &str) -> Result<String, WebError> {
        // Locked until the end, so that no server is started twice.
        let mut all = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let options = ServeOptions {
            port: None,
            read_only: false,
            query: ChangesQuery::default(),
            chat_server: self.chat_server,
        };
        let bound = bind(env, &options).map_err(|error| cannot_open(&error))?;
        let address = bound.opening_at(page);
        if !bound.is_served_already() {
            let shutdown = bound.shutdown_handle();
            // A later error is visible to the user who opens the page.
            let running = Some(thread::spawn(move || drop(bound.run())));
            all.push(RunningServer { shutdown, running });
        }
        Ok(address)
    }

    /// Stops all of them, and waits until they have stopped.
    pub(super) fn stop(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.shutdown.stop();
        if let Some(running) = self.running.take() {
            drop(running.join());
        }
    }
}

fn cannot_open(error: &BindError) -> WebError {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    let message = format!("{error}{}", cause.unwrap_or_default());
    let hint =
        error.hint().unwrap_or_else(|| "run `skein serve` there to see the reason".to_owned());
    WebError::new(StatusCode::INTERNAL_SERVER_ERROR, message).hint(hint)
}

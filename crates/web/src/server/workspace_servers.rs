//! Servers of other workspaces, started from a page of this one.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use skein_review::ChangesQuery;
use skein_workspace::Env;

use super::bind::{BindError, Options, bind};
use crate::stop::ShutdownHandle;

/// The servers that were started from here; they end with this one.
#[derive(Default)]
pub(crate) struct WorkspaceServers(Mutex<Vec<Neighbour>>);

struct Neighbour {
    stopper: ShutdownHandle,
    running: Option<JoinHandle<()>>,
}

impl WorkspaceServers {
    /// Finds or starts the server of the workspace that the user of `env` stands in, and returns an address of a page there, which
    /// lets a browser in once.
    ///
    /// It has its own port and its own keys, as if `skein serve` had been started there.
    pub(crate) fn open(&self, env: Env, page: &str) -> Result<String, BindError> {
        // One at a time, so that nobody starts the same one twice.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let options = Options { port: None, read_only: false, query: ChangesQuery::default() };
        let bound = bind(env, &options)?;
        let address = bound.opening_at(page);
        if !bound.is_served_already() {
            let stopper = bound.stopper();
            // What goes wrong from here on is seen by whoever opens the page.
            let running = Some(thread::spawn(move || drop(bound.run())));
            all.push(Neighbour { stopper, running });
        }
        Ok(address)
    }

    /// Ends all of them, and returns when they have ended.
    pub(crate) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(running) = self.running.take() {
            // It ends whether it panicked or not.
            drop(running.join());
        }
    }
}

use std::sync::Arc;

use tokio::sync::watch;

/// A handle that stops a server.
#[derive(Clone, Debug)]
pub struct ShutdownHandle(Arc<watch::Sender<bool>>);

impl ShutdownHandle {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Stops the server, within about a second.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for [`Self::stop`].
    pub(crate) async fn stopped(&self) {
        // The sender exists as long as this handle, so waiting cannot fail.
        drop(self.0.subscribe().wait_for(|stopped| *stopped).await);
    }
}

//! What ends the bridge from within a task.

use std::sync::Arc;

use tokio::sync::Notify;

/// Events that end the bridge.
#[derive(Clone, Default)]
pub(super) struct Signals {
    /// The token is not accepted any more.
    pub(super) revoked: Arc<Notify>,
    /// A task has panicked.
    pub(super) failed: Arc<Notify>,
}

impl Signals {
    /// Runs a task whose panic ends the bridge: otherwise the core would wait for its result for ever.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        struct Guard(Arc<Notify>);
        impl Drop for Guard {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.notify_one();
                }
            }
        }
        let guard = Guard(Arc::clone(&self.failed));
        tokio::spawn(async move {
            task.await;
            drop(guard);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Signals;

    #[tokio::test]
    async fn a_task_that_panics_is_noticed() {
        let signals = Signals::default();
        signals.spawn(async { panic!("a test does this on purpose") });
        signals.failed.notified().await;
    }
}

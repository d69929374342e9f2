//! Tracks which connections are idle, so that one of them can be closed for a new one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The idle connections.
#[derive(Clone, Default)]
pub(super) struct Connections(Arc<Mutex<IdleQueue>>);

#[derive(Default)]
struct IdleQueue {
    next: u64,
    /// The idle connections; the one that has been idle for longest is first.
    idle: BTreeMap<u64, Arc<Notify>>,
}

pub(super) struct Connection {
    connections: Connections,
    /// Its number in the queue; none while a request is answered.
    number: Mutex<Option<u64>>,
    closed: Arc<Notify>,
}

impl Connections {
    /// Adds an idle connection.
    pub(super) fn add(&self) -> Arc<Connection> {
        let connection = Connection {
            connections: self.clone(),
            number: Mutex::new(None),
            closed: Arc::new(Notify::new()),
        };
        connection.set_idle();
        Arc::new(connection)
    }

    /// Closes the connection that has been idle for longest.
    pub(super) fn close_idle(&self) {
        if let Some((_, closed)) = self.lock().idle.pop_first() {
            closed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, IdleQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    fn number(&self) -> MutexGuard<'_, Option<u64>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_idle(&self) {
        let mut queue = self.connections.lock();
        let number = queue.next;
        queue.next += 1;
        queue.idle.insert(number, self.closed.clone());
        drop(queue);
        *self.number() = Some(number);
    }

    pub(super) fn set_busy(&self) {
        if let Some(number) = self.number().take() {
            self.connections.lock().idle.remove(&number);
        }
    }

    /// Waits until the connection should be closed, which never happens during a request.
    pub(super) async fn closed(&self) {
        loop {
            self.closed.notified().await;
            if self.number().is_some() {
                return;
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.set_busy();
    }
}

/// Belongs to a response body; the connection is idle again when it is dropped.
pub(super) struct BusyGuard(pub(super) Arc<Connection>);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.set_idle();
    }
}

//! The connections that are open, of which one that only waits makes room for the next.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;

/// The connections without a request, those that have waited longest first.
#[derive(Clone, Default)]
pub(super) struct Seats(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    next: u64,
    by_turn: BTreeMap<u64, Arc<Notify>>,
}

/// One connection.
pub(super) struct Seat {
    seats: Seats,
    /// Its place among those that wait; none while a request is answered.
    turn: Mutex<Option<u64>>,
    closed: Arc<Notify>,
}

impl Seats {
    /// Adds a connection that has not asked for anything yet.
    pub(super) fn add(&self) -> Arc<Seat> {
        let seat =
            Seat { seats: self.clone(), turn: Mutex::new(None), closed: Arc::new(Notify::new()) };
        seat.wait();
        Arc::new(seat)
    }

    /// Closes the connection that has waited longest for a request, if any does.
    pub(super) fn close_one(&self) {
        if let Some((_, closed)) = self.lock().by_turn.pop_first() {
            closed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    fn turn(&self) -> MutexGuard<'_, Option<u64>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the last place among those that wait.
    fn wait(&self) {
        let mut waiting = self.seats.lock();
        let turn = waiting.next;
        waiting.next += 1;
        waiting.by_turn.insert(turn, self.closed.clone());
        drop(waiting);
        *self.turn() = Some(turn);
    }

    /// Leaves those that wait, because a request came.
    pub(super) fn work(&self) {
        if let Some(turn) = self.turn().take() {
            self.seats.lock().by_turn.remove(&turn);
        }
    }

    /// Returns once the connection is to be closed; one that answers a request is not.
    pub(super) async fn closed(&self) {
        loop {
            self.closed.notified().await;
            if self.turn().is_some() {
                return;
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.work();
    }
}

/// The body of an answer, with whose end the connection waits again.
pub(super) struct Answer {
    body: Body,
    seat: Arc<Seat>,
}

impl Answer {
    pub(super) fn new(body: Body, seat: Arc<Seat>) -> Self {
        Self { body, seat }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.seat.wait();
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

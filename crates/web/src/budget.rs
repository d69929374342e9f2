//! Bounds the memory of answers that clients have not read yet.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::WebError;
use crate::site::AppState;

/// Answers up to this size are not counted, in bytes.
const SMALL: u64 = 256 * 1024;

/// How much larger answers may take together, in kilobytes.
const MAX_KILOBYTES: u32 = 96 * 1024;

/// How much of a large answer is handed out at once, in bytes.
const PIECE: usize = 64 * 1024;

/// What is left of the memory for large answers.
pub(crate) struct Budget(Arc<Semaphore>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_KILOBYTES as usize)))
    }
}

impl Budget {
    /// Takes room for a large answer while it is made, and refuses it as long as there is none.
    pub(crate) fn reserve(&self, size: usize) -> Result<Option<OwnedSemaphorePermit>, WebError> {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        if size <= SMALL {
            return Ok(None);
        }
        let size = u32::try_from(kilobytes(size)).unwrap_or(MAX_KILOBYTES);
        Arc::clone(&self.0).try_acquire_many_owned(size).map(Some).map_err(|_| no_room())
    }
}

/// Counts an answer in kilobytes; one that is larger than everything together gets everything.
fn kilobytes(size: u64) -> u64 {
    (size / 1024).min(u64::from(MAX_KILOBYTES))
}

fn no_room() -> WebError {
    let message = "too many large pages are still on their way to other tabs";
    WebError::new(StatusCode::SERVICE_UNAVAILABLE, message).hint("load this page again in a moment")
}

/// Refuses a large answer as long as too many others are not read.
pub(crate) async fn limit(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let size = response.body().size_hint().exact().unwrap_or_default();
    if size <= SMALL {
        return response;
    }
    let size = u32::try_from(kilobytes(size)).unwrap_or(MAX_KILOBYTES);
    match Arc::clone(&site.budget.0).try_acquire_many_owned(size) {
        Ok(permit) => response.map(|body| Body::new(Counted::new(body, permit))),
        Err(_) => no_room().into_response(),
    }
}

/// A body that counts until it is sent: it is handed out in pieces, because what is handed out is no longer counted.
struct Counted {
    body: Body,
    /// What came from the body and was not handed out yet.
    rest: Bytes,
    _permit: OwnedSemaphorePermit,
}

impl Counted {
    fn new(body: Body, permit: OwnedSemaphorePermit) -> Self {
        Self { body, rest: Bytes::new(), _permit: permit }
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        match self.body.size_hint().exact() {
            Some(size) => SizeHint::with_exact(size.saturating_add(rest)),
            None => SizeHint::default(),
        }
    }
}

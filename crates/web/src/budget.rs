//! Limits the memory of responses that clients have not read yet.

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

/// Responses up to this size are not counted, in bytes.
const SMALL_RESPONSE: usize = 256 * 1024;

/// The maximum memory of all larger responses, in kilobytes.
const MAX_KILOBYTES: u32 = 96 * 1024;

/// The size of the chunks in which a large response is passed on, in bytes.
const CHUNK_LEN: usize = 64 * 1024;

/// The memory that is left for large responses.
#[derive(Clone)]
pub(crate) struct Budget(Arc<Semaphore>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_KILOBYTES as usize)))
    }
}

impl Budget {
    /// Reserves memory for a response if it is large, and refuses it if too little is left.
    pub(crate) fn reserve(&self, size: usize) -> Result<Option<OwnedSemaphorePermit>, WebError> {
        if size <= SMALL_RESPONSE {
            return Ok(None);
        }
        // A response larger than the limit gets all of it.
        let size = u32::try_from(size / 1024).unwrap_or(MAX_KILOBYTES).min(MAX_KILOBYTES);
        Arc::clone(&self.0).try_acquire_many_owned(size).map(Some).map_err(|_| {
            let message = "too many large pages are still being sent to other tabs";
            WebError::new(StatusCode::SERVICE_UNAVAILABLE, message)
                .hint("reload this page in a moment")
        })
    }
}

/// Refuses a large response while too many others are unread.
pub(crate) async fn limit(State(budget): State<Budget>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let size = response.body().size_hint().exact().unwrap_or_default();
    match budget.reserve(usize::try_from(size).unwrap_or(usize::MAX)) {
        Ok(None) => response,
        Ok(Some(permit)) => {
            let counted = |body| Body::new(Counted { body, rest: Bytes::new(), _permit: permit });
            response.map(counted)
        }
        Err(error) => error.into_response(),
    }
}

/// A body that is counted until it is sent. It is passed on in chunks, because passed on bytes are no longer counted.
struct Counted {
    body: Body,
    /// The received bytes that were not passed on yet.
    rest: Bytes,
    _permit: OwnedSemaphorePermit,
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
        let length = self.rest.len().min(CHUNK_LEN);
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

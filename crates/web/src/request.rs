//! What a request says: the parts of its address, its parameters, its body.

use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::http::request::Parts;
use hyper::{StatusCode, Uri};
use serde::de::DeserializeOwned;
use skein_review::ChangesQuery;

use crate::auth::{MAX_BODY_LEN, too_large};
use crate::error::WebError;

/// How long a client may take to send what is to be written.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The parts of an address that a route leaves open, decoded.
pub(crate) struct PathParams<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, WebError> {
        let bad = |_: PathRejection| {
            WebError::new(StatusCode::BAD_REQUEST, "the address is no text")
                .hint("write what is not ASCII as UTF-8, percent-encoded")
        };
        Path::from_request_parts(parts, state).await.map(|Path(named)| Self(named)).map_err(bad)
    }
}

/// The parameters of an address, decoded.
#[derive(Debug)]
pub(crate) struct QueryParams(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, WebError> {
        Ok(Self::from_uri(&parts.uri))
    }
}

impl QueryParams {
    /// Reads them from an address.
    pub(crate) fn from_uri(uri: &Uri) -> Self {
        // Any text can be taken apart, and what is no UTF-8 becomes a mark that stands for it.
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
        Self(pairs.map(|Query(pairs)| pairs).unwrap_or_default())
    }

    /// Returns the first value of a name; an empty one counts as none.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns every value of a name that is not empty.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let pairs = self.0.iter().filter(move |(key, _)| key == name);
        pairs.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Makes sure that every parameter means something.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), WebError> {
        let unknown = self.0.iter().find(|(key, _)| !known.contains(&key.as_str()));
        let Some((key, _)) = unknown else { return Ok(()) };
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let hint = match known.len() {
            0 => "this address takes none".to_owned(),
            _ => format!("this address takes {}", known.join(", ")),
        };
        let message = format!("there is no parameter `{key}`");
        Err(WebError::new(StatusCode::BAD_REQUEST, message).hint(hint))
    }

    /// Returns what to compare.
    pub(crate) fn changes(&self) -> ChangesQuery {
        ChangesQuery {
            base: self.get("base").map(|base| base.trim().to_owned()),
            staged: self.get("staged").is_some(),
            since_submit: self.get("since-submit").is_some(),
            paths: self.all("path").map(str::to_owned).collect(),
        }
    }
}

/// The body of a write, read whole and understood.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = WebError;

    async fn from_request(request: Request, _: &S) -> Result<Self, WebError> {
        let bytes = read(request.into_body()).await?;
        // Some programs send nothing at all where nothing is to be said.
        let bytes = if bytes.is_empty() { b"{}" } else { &bytes[..] };
        let bad = |error: serde_json::Error| {
            WebError::new(StatusCode::BAD_REQUEST, format!("the JSON cannot be used: {error}"))
                .hint("`docs/api.md` lists the fields of each write")
        };
        serde_json::from_slice(bytes).map(Self).map_err(bad)
    }
}

/// Reads a body, as long as it is small enough and comes in time.
async fn read(body: Body) -> Result<Vec<u8>, WebError> {
    let limit = usize::try_from(MAX_BODY_LEN).unwrap_or(usize::MAX);
    let whole = tokio::time::timeout(BODY_TIME, Limited::new(body, limit).collect()).await;
    match whole {
        Err(_) => Err(WebError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long")
            .hint("send it again; nothing was written")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(WebError::new(StatusCode::BAD_REQUEST, "the request broke off")),
        Ok(Ok(body)) => Ok(body.to_bytes().into()),
    }
}

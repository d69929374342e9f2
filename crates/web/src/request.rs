//! The parts of a request: path, parameters, body.

use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::http::request::Parts;
use hyper::{StatusCode, Uri};
use serde::de::DeserializeOwned;
use skein_review::ChangesQuery;

use crate::error::WebError;

/// The largest body that is read, in bytes.
pub(crate) const MAX_BODY_LEN: usize = 1024 * 1024;

/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The variable parts of a path, decoded.
pub(crate) struct PathParams<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, WebError> {
        let bad = |_: PathRejection| {
            bad_request("the address is not valid UTF-8", "percent-encode UTF-8")
        };
        Path::from_request_parts(parts, state).await.map(|Path(named)| Self(named)).map_err(bad)
    }
}

/// The parameters of a query string, decoded.
#[derive(Debug)]
pub(crate) struct QueryParams(Vec<(String, String)>);

/// The input of a handler that takes parameters only.
pub(crate) type ParamsRequest = (QueryParams,);

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, WebError> {
        Ok(Self::from_uri(&parts.uri))
    }
}

impl QueryParams {
    pub(crate) fn from_uri(uri: &Uri) -> Self {
        // Every text can be split into pairs, and bytes that are not UTF-8 are replaced.
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
        Self(pairs.map(|Query(pairs)| pairs).unwrap_or_default())
    }

    /// Returns the first value of a parameter that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns every value of a parameter that is not empty.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let pairs = self.0.iter().filter(move |(key, _)| key == name);
        pairs.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Refuses unknown parameters.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), WebError> {
        let unknown = self.0.iter().find(|(key, _)| !known.contains(&key.as_str()));
        let Some((key, _)) = unknown else { return Ok(()) };
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!("there is no parameter `{key}`");
        Err(bad_request(message, format!("this address takes {known}")))
    }

    /// Returns the changes that the parameters select.
    pub(crate) fn changes(&self) -> ChangesQuery {
        ChangesQuery {
            base: self.get("base").map(|base| base.trim().to_owned()),
            staged: self.get("staged").is_some(),
            since_submit: self.get("since-submit").is_some(),
            paths: self.all("path").map(str::to_owned).collect(),
        }
    }
}

/// The JSON body of a write.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = WebError;

    async fn from_request(request: Request, _: &S) -> Result<Self, WebError> {
        let bytes = read(request.into_body()).await?;
        // Some programs send an empty body instead of an empty object.
        let bytes = if bytes.is_empty() { b"{}" } else { &bytes[..] };
        let bad = |error: serde_json::Error| {
            let message = format!("invalid JSON body: {error}");
            bad_request(message, "`docs/api.md` lists the fields of each write")
        };
        serde_json::from_slice(bytes).map(Self).map_err(bad)
    }
}

async fn read(body: Body) -> Result<Vec<u8>, WebError> {
    let body = Limited::new(body, MAX_BODY_LEN).collect();
    match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Err(_) => Err(WebError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long")
            .hint("send it again; nothing was written")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(WebError::new(StatusCode::BAD_REQUEST, "the request is incomplete")),
        Ok(Ok(body)) => Ok(body.to_bytes().into()),
    }
}

/// The body is larger than [`MAX_BODY_LEN`].
pub(crate) fn too_large() -> WebError {
    WebError::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than 1 MB")
        .hint("write a shorter text; nothing was written")
}

/// The request is invalid; the hint describes a valid one.
pub(crate) fn bad_request(message: impl Into<String>, hint: impl Into<String>) -> WebError {
    WebError::new(StatusCode::BAD_REQUEST, message).hint(hint)
}

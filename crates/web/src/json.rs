//! Answers in JSON.

use axum::response::{IntoResponse, Response};
use hyper::header::CONTENT_TYPE;
use serde::Serialize;
use skein_model::sanitize::to_json;

use crate::error::WebError;

/// A value to answer with, in which hidden characters are escaped, as in what the command line prints.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match to_json(&self.0) {
            Ok(bytes) => ([(CONTENT_TYPE, "application/json")], bytes).into_response(),
            Err(_) => WebError::broken().into_response(),
        }
    }
}

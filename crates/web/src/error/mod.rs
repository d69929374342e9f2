mod engine;
mod page;
mod work;

use axum::response::{IntoResponse, Response};
use hyper::StatusCode;
use serde::Serialize;

pub(crate) use page::{catch, render, sentence, ticked};

/// Why a request is not answered as asked, in the words of the page and of the JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WebError {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    /// A sentence that says what happened.
    #[serde(rename = "error")]
    pub(crate) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The field of a form that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<&'static str>,
    /// Where to go instead: addresses and their names.
    #[serde(skip)]
    pub(crate) links: Vec<(String, String)>,
    /// What stands against each other, where something changed meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conflict: Option<Box<serde_json::Value>>,
}

impl WebError {
    /// Says what happened; the hint follows with [`Self::hint`].
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let (message, links) = (message.into(), Vec::new());
        Self { status, message, hint: None, field: None, links, conflict: None }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds the field of a form that it is about.
    pub(crate) fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Adds where to go instead.
    pub(crate) fn links(self, links: Vec<(String, String)>) -> Self {
        Self { links, ..self }
    }

    /// Adds what stands against each other.
    pub(crate) fn conflict(self, conflict: serde_json::Value) -> Self {
        Self { conflict: Some(Box::new(conflict)), ..self }
    }

    /// There is no such thread.
    pub(crate) fn no_thread(id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("no thread has this id: {id}"))
            .hint("it may have been deleted; the list of threads has all that there are")
    }

    /// Several ids begin with what was given.
    pub(crate) fn ambiguous(start: &str) -> Self {
        let start = skein_model::sanitize::one_line(start);
        Self::new(StatusCode::NOT_FOUND, format!("several ids begin with this: {start}"))
            .hint("give more of its characters")
    }

    /// There is no such checkpoint.
    pub(crate) fn no_checkpoint(id: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("no checkpoint has this id: {}", skein_model::sanitize::one_line(id)),
        )
        .hint("it may have been put away or deleted; the timeline has all that there are")
    }

    /// The program is at fault.
    pub(crate) fn broken() -> Self {
        let message = "the server failed to answer; this is its own fault";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
            .hint("load the page again; the terminal of `skein serve` says what went wrong")
    }

    /// The request lacks something.
    pub(crate) fn missing_field(name: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, format!("the request has no field `{name}`"))
            .hint("load the page again")
    }

    /// The file is not among those that differ.
    pub(crate) fn not_changed(path: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("this file does not differ: {path}"))
            .hint("load the page again; it may have been changed back")
    }

    /// There is nothing at this address.
    pub(crate) fn no_page() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing at this address")
            .hint("the start page has links to everything there is")
    }
}

impl IntoResponse for WebError {
    /// Leaves the words to [`render`], which knows who asks.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

mod page;

use axum::response::{IntoResponse, Response};
use hyper::StatusCode;
use serde::Serialize;
use skein_model::advice::with_causes;
use skein_model::{FailureKind, UserError};

pub(crate) use page::{catch, render, sentence, ticked};

/// Why a request failed; shown on a page, or sent as JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WebError {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    #[serde(rename = "error")]
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The field of the form that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<&'static str>,
    /// Links to other pages: addresses and their names.
    #[serde(skip)]
    pub(crate) links: Vec<(String, String)>,
    /// The current state, if it has changed since the page was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conflict: Option<Box<serde_json::Value>>,
}

impl WebError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let (message, links) = (message.into(), Vec::new());
        Self { status, message, hint: None, field: None, links, conflict: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Adds links to other pages.
    pub(crate) fn links(self, links: Vec<(String, String)>) -> Self {
        Self { links, ..self }
    }

    pub(crate) fn conflict(self, conflict: serde_json::Value) -> Self {
        Self { conflict: Some(Box::new(conflict)), ..self }
    }

    pub(crate) fn no_thread(id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("no thread has this id: {id}"))
            .hint("it may have been deleted; the list of threads shows every thread")
    }

    /// Several ids start with the given text.
    pub(crate) fn ambiguous(start: &str) -> Self {
        let start = skein_model::sanitize::one_line(start);
        Self::new(StatusCode::NOT_FOUND, format!("several ids start with this: {start}"))
            .hint("give more of its characters")
    }

    pub(crate) fn no_checkpoint(id: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("no checkpoint has this id: {}", skein_model::sanitize::one_line(id)),
        )
        .hint("it may have been archived or deleted; the timeline shows every checkpoint")
    }

    /// The server has a bug.
    pub(crate) fn broken() -> Self {
        let message = "internal server error";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
            .hint("load the page again; the terminal of `skein serve` shows the cause")
    }

    pub(crate) fn missing_field(name: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, format!("the request has no field `{name}`"))
            .hint("load the page again")
    }

    pub(crate) fn no_page() -> Self {
        Self::new(StatusCode::NOT_FOUND, "page not found")
            .hint("the start page links to every page")
    }
}

impl<E: UserError + 'static> From<E> for WebError {
    fn from(error: E) -> Self {
        let advice = error.advice(&|_, id| format!("skein show {id}"));
        let hint = advice.page_hint.map(str::to_owned).or(advice.hint);
        let hint =
            hint.unwrap_or_else(|| "nothing was written; fix the problem and try again".to_owned());
        Self {
            field: advice.field,
            conflict: advice.now.map(|now| Box::new(serde_json::json!({ "now": now }))),
            ..Self::new(status(advice.kind), with_causes(&error)).hint(hint)
        }
    }
}

fn status(kind: FailureKind) -> StatusCode {
    match kind {
        FailureKind::Invalid => StatusCode::BAD_REQUEST,
        FailureKind::Forbidden => StatusCode::FORBIDDEN,
        FailureKind::NotFound => StatusCode::NOT_FOUND,
        FailureKind::Conflict => StatusCode::CONFLICT,
        FailureKind::NotText => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        FailureKind::Unusable => StatusCode::UNPROCESSABLE_ENTITY,
        FailureKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        FailureKind::System => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for WebError {
    /// Leaves the body to [`render`], which knows whether a page or JSON is expected.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

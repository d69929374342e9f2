//! Puts an error into words: a page for a browser, JSON for a program.

use askama::Template;
use axum::Json;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};

use super::WebError;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    title: u16,
    message: String,
    hint: &'a str,
}

/// Answers for a handler that panicked, so that the server lives on.
pub(crate) async fn catch(request: Request, next: Next) -> Response {
    let done = tokio::spawn(next.run(request)).await;
    done.unwrap_or_else(|_| WebError::broken().into_response())
}

/// Gives every refusal its words: JSON below `/api/`, a page elsewhere.
pub(crate) async fn render(request: Request, next: Next) -> Response {
    let as_json = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<WebError>() else { return response };
    let (mut parts, _) = response.into_parts();
    let (words, body) = words(&error, as_json).into_parts();
    parts.headers.extend(words.headers);
    Response::from_parts(parts, body)
}

fn words(error: &WebError, as_json: bool) -> Response {
    if as_json {
        return Json(error).into_response();
    }
    let hint = error.hint.as_deref().unwrap_or_default();
    let page = ErrorPage { title: error.status.as_u16(), message: sentence(&error.message), hint };
    match page.render() {
        Ok(page) => Html(page).into_response(),
        Err(_) => error.message.clone().into_response(),
    }
}

/// Begins a text with a capital letter, as a heading does.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.collect::<String>() + rest.as_str()
}

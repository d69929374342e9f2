//! Renders an error: a page for a browser, JSON for a program.

use askama::Template;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use skein_model::sanitize::escape_control;

use super::WebError;
use crate::escape::escape;
use crate::json::Json;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    title: u16,
    message: String,
    hint: String,
    links: Vec<(String, String)>,
}

/// Turns a panic of a handler into an error, so that the server continues.
pub(crate) async fn catch(request: Request, next: Next) -> Response {
    let done = tokio::spawn(next.run(request)).await;
    done.unwrap_or_else(|_| WebError::broken().into_response())
}

/// Renders every error: JSON below `/api/`, a page elsewhere.
pub(crate) async fn render(request: Request, next: Next) -> Response {
    let as_json = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<WebError>() else { return response };
    let (mut parts, _) = response.into_parts();
    let (rendered, body) = rendered(&error, as_json).into_parts();
    parts.headers.extend(rendered.headers);
    Response::from_parts(parts, body)
}

fn rendered(error: &WebError, as_json: bool) -> Response {
    if as_json {
        return Json(error).into_response();
    }
    let hint = ticked(error.hint.as_deref().unwrap_or_default());
    let (message, links) = (sentence(&error.message), error.links.clone());
    let page = ErrorPage { title: error.status.as_u16(), message, hint, links };
    match page.render() {
        Ok(page) => Html(page).into_response(),
        Err(_) => error.message.clone().into_response(),
    }
}

/// Returns the text with a capital first letter.
pub(crate) fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    escape_control(&(first.collect::<String>() + rest.as_str())).into_owned()
}

/// Returns a sentence as HTML, with text in backticks as code.
pub(crate) fn ticked(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in sentence(text).split('`').enumerate() {
        if index > 0 {
            html.push_str(if index % 2 == 1 { "<code>" } else { "</code>" });
        }
        escape(part, &mut html);
    }
    if text.matches('`').count() % 2 == 1 {
        html.push_str("</code>");
    }
    html
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Router, middleware};
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    async fn check(address: &str, expected: &str) {
        let broken = async || -> Response { panic!("for a test") };
        let router = Router::new()
            .route("/page", get(broken))
            .route("/api/v1/x", get(broken))
            .layer(middleware::from_fn(catch))
            .layer(middleware::from_fn(render));
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains(expected), "{body}");
    }

    #[tokio::test]
    async fn a_panic_is_answered_with_an_error() {
        check("/page", "<h1>Internal server error</h1>").await;
        check("/api/v1/x", r#"{"error":"internal server error","#).await;
    }

    #[test]
    fn text_in_backticks_is_code() {
        assert_eq!(ticked("run `git init` <there>"), "Run <code>git init</code> &lt;there&gt;");
        assert_eq!(ticked("a ` b"), "A <code> b</code>");
    }
}

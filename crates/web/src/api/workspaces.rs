//! Other workspaces of this machine, and the way to them.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use skein_workspace::registry;
use skein_workspace::registry::ReachableWorkspace;

use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, QueryParams};
use crate::site::AppState;

#[derive(Serialize)]
struct Listed {
    workspaces: Vec<ReachableWorkspace>,
}

/// Lists the workspaces that one can go to.
pub(super) async fn list(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&[])?;
        let workspaces = registry::reachable(&site.env, &site.desk.workspace());
        Ok(Json(Listed { workspaces }).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    root: String,
    /// The page there; the overview where none is named.
    page: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Opened {
    address: String,
}

/// Finds or starts the server of another workspace, and says how a browser gets in.
///
/// Only a workspace that the list has is ever served, and its keys stay on the server: the address is good once.
pub(super) async fn open(
    State(site): State<Arc<AppState>>,
    JsonBody(asked): JsonBody<Asked>,
) -> Result<Json<Opened>, WebError> {
    site.run(move |site| {
        let page = asked.page.as_deref().unwrap_or("/overview");
        if !is_page(page) {
            let error = WebError::new(StatusCode::BAD_REQUEST, "this names no page");
            return Err(error.hint("a page is named by its path, such as `/threads`"));
        }
        let root = registry::reach(&site.env, &site.desk.workspace(), &asked.root);
        let root = root.ok_or_else(|| unknown(&asked.root))?;
        let opened = site.neighbours.open(site.env.with_dir(root), page);
        let address = opened.map_err(|error| {
            let hint = error.hint();
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            let message = format!("{error}{}", cause.unwrap_or_default());
            let error = WebError::new(StatusCode::INTERNAL_SERVER_ERROR, message);
            error.hint(hint.unwrap_or_else(|| "start `skein serve` there, to see why".to_owned()))
        })?;
        Ok(Json(Opened { address }))
    })
    .await
}

/// Returns whether a text is the path of a page and nothing else, with a place on it at most.
fn is_page(page: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%#".contains(&byte);
    page.starts_with('/')
        && !page.starts_with("//")
        && page.bytes().all(plain)
        && page.matches('#').count() <= 1
}

fn unknown(root: &str) -> WebError {
    WebError::new(
        StatusCode::NOT_FOUND,
        format!("no such workspace is known, or it is gone: {root}"),
    )
    .hint("a workspace is known once a command was used there: `skein workspaces list`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_names_a_page() {
        for good in ["/", "/thread/a-b", "/work/T-1", "/sessions#s-ses_1", "/file/a%20b.rs"] {
            assert!(is_page(good), "{good}");
        }
        let bad = [
            "",
            "thread",
            "//evil.example",
            "/a?token=x",
            "/a b",
            "/\\evil",
            "/a#b#c",
            "/\r\nX: y",
        ];
        for bad in bad {
            assert!(!is_page(bad), "{bad}");
        }
    }
}

//! Other workspaces of this machine.

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use skein_workspace::registry;

use super::JsonResult;
use crate::app_state::AppState;
use crate::error::WebError;
use crate::json::Json;
use crate::request::{JsonBody, ParamsRequest, bad_request};

/// Lists the workspaces that can be opened.
pub(super) fn list(app: &AppState, (params,): ParamsRequest) -> JsonResult<Value> {
    params.only(&[])?;
    let workspaces = registry::reachable(&app.live.workspace());
    Ok(Json(json!({ "workspaces": workspaces })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenRequest {
    root: String,
    /// The page to open; by default the overview.
    page: Option<String>,
}

/// Finds or starts the server of another workspace, and returns a one-time link to it.
///
/// Only a workspace in the list is served, and its secrets stay on the server.
pub(super) fn open(app: &AppState, JsonBody(sent): JsonBody<OpenRequest>) -> JsonResult<Value> {
    let page = sent.page.as_deref().unwrap_or("/overview");
    if !is_page(page) {
        return Err(bad_request("invalid `page`", "send the path of a page, such as `/threads`"));
    }
    let workspace = app.live.workspace();
    let root = registry::reach(&workspace, &sent.root).ok_or_else(|| {
        let message = format!("no such workspace is known: {}", sent.root);
        WebError::new(StatusCode::NOT_FOUND, message)
            .hint("a workspace is added when you run a command there: `skein workspaces list`")
    })?;
    let address = (app.open_workspace)(workspace.env.with_dir(root), page)?;
    Ok(Json(json!({ "address": address })))
}

/// Returns whether a text is the path of a page, with at most a fragment.
fn is_page(page: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%#".contains(&byte);
    page.starts_with('/')
        && !page.starts_with("//")
        && page.bytes().all(plain)
        && page.matches('#').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_on_this_server_is_a_page() {
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

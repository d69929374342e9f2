//! Scripts, styles and the icon, embedded in the binary.

use std::sync::OnceLock;

use axum::extract::{Path, Request};
use axum::response::{IntoResponse as _, Response};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, StatusCode};

use crate::credentials::digest;
use crate::error::WebError;

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $kind:expr) => {
        Asset { name: $name, kind: $kind, bytes: include_bytes!(concat!("../assets/", $name)) }
    };
}

const SVG: &str = "image/svg+xml";
const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

const ASSETS: &[Asset] = &[
    asset!("actions.js", JS),
    asset!("announce.js", JS),
    asset!("api.js", JS),
    asset!("app.js", JS),
    asset!("apply.js", JS),
    asset!("checkpoint_form.js", JS),
    asset!("comparison.js", JS),
    asset!("compose.js", JS),
    asset!("cursor.js", JS),
    asset!("dialog.js", JS),
    asset!("drag.js", JS),
    asset!("early.js", JS),
    asset!("files.js", JS),
    asset!("filter.js", JS),
    asset!("html.js", JS),
    asset!("input_method.js", JS),
    asset!("keep_position.js", JS),
    asset!("keys.js", JS),
    asset!("lines.js", JS),
    asset!("live.js", JS),
    asset!("morph.js", JS),
    asset!("overview.js", JS),
    asset!("refresh.js", JS),
    asset!("search.js", JS),
    asset!("send.js", JS),
    asset!("session.js", JS),
    asset!("sessions.js", JS),
    asset!("threads.js", JS),
    asset!("times.js", JS),
    asset!("toast.js", JS),
    asset!("unsent_storage.js", JS),
    asset!("unsent_texts.js", JS),
    asset!("work.js", JS),
    asset!("workspaces.js", JS),
    asset!("icon.svg", SVG),
    asset!("overview.css", CSS),
    asset!("search.css", CSS),
    asset!("skein.css", CSS),
    asset!("work.css", CSS),
];

/// Scripts that are not modules of every page.
const PAGE_SCRIPTS: [&str; 5] =
    ["app.js", "checkpoint_form.js", "early.js", "sessions.js", "work.js"];

/// Returns the modules that `app.js` needs. Every page names them, so that the browser requests all of them at once and not level by level.
pub(crate) fn modules() -> impl Iterator<Item = &'static str> {
    let names = ASSETS.iter().map(|asset| asset.name);
    names.filter(|name| name.ends_with(".js") && !PAGE_SCRIPTS.contains(name))
}

/// Returns a hash of all files. A file in the folder of this name can be cached forever; modules import each other from the same folder.
pub(crate) fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| short(&ASSETS.iter().map(|asset| asset.bytes).collect::<Vec<_>>()))
}

/// Returns a file, which the browser may keep after asking whether it has changed.
pub(crate) async fn asset(Path(name): Path<String>, request: Request) -> Response {
    respond(&name, "no-cache", request.headers())
}

/// Returns a file of a version. That of this program can be cached forever; a page of another one gets the file of this one.
pub(crate) async fn versioned_asset(
    Path((folder, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let is_current = folder == version();
    let keep = if is_current { "private, max-age=31536000, immutable" } else { "no-cache" };
    respond(&name, keep, request.headers())
}

fn respond(name: &str, cache_control: &'static str, headers: &HeaderMap) -> Response {
    let asset = ASSETS.iter().find(|asset| asset.name == name).zip(tag(name));
    let Some((asset, tag)) = asset else { return WebError::no_page().into_response() };
    let etag = format!("\"{tag}\"");
    let known = is_known(headers, &etag);
    let body = if known { &[][..] } else { asset.bytes };
    let status = if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache_control));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(ETAG, etag);
    }
    response
}

/// Returns whether the browser already has the file. A compressed file has a weak tag.
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let same = |one: &str| one.trim().trim_start_matches("W/") == etag;
    known.is_some_and(|known| known.split(',').any(same))
}

/// Returns a hash of the content of a file.
fn tag(name: &str) -> Option<&'static str> {
    static TAGS: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    let all = TAGS
        .get_or_init(|| ASSETS.iter().map(|asset| (asset.name, short(&[asset.bytes]))).collect());
    all.iter().find(|(known, _)| *known == name).map(|(_, tag)| tag.as_str())
}

fn short(parts: &[&[u8]]) -> String {
    digest(parts).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_asset_file_is_in_the_table() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        let entries = std::fs::read_dir(dir).unwrap();
        let mut files: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut names: Vec<&str> = ASSETS.iter().map(|asset| asset.name).collect();
        files.sort();
        names.sort_unstable();
        assert_eq!(names, files);
    }

    #[test]
    fn every_module_that_app_imports_is_named_by_the_page() {
        let mut pending = vec!["app.js"];
        let mut imported = BTreeSet::new();
        while let Some(name) = pending.pop() {
            let asset = ASSETS.iter().find(|asset| asset.name == name).unwrap();
            let text = std::str::from_utf8(asset.bytes).unwrap();
            for module in text.split('"').filter_map(|part| part.strip_prefix("./")) {
                if imported.insert(module) {
                    pending.push(module);
                }
            }
        }
        assert_eq!(imported, modules().collect());
    }
}

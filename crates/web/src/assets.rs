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
    asset!("api.js", JS),
    asset!("app.js", JS),
    asset!("apply.js", JS),
    asset!("checkpoint_form.js", JS),
    asset!("compose.js", JS),
    asset!("cursor.js", JS),
    asset!("dialog.js", JS),
    asset!("drag.js", JS),
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

/// Returns a hash of all files: an address with `?v=` and this hash can be cached forever.
pub(crate) fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| short(&ASSETS.iter().map(|asset| asset.bytes).collect::<Vec<_>>()))
}

/// Returns a file.
///
/// With the right version in the address it can be cached forever; otherwise the browser asks each time whether it has
/// changed.
pub(crate) async fn asset(Path(name): Path<String>, request: Request) -> Response {
    let found = ASSETS.iter().find(|asset| asset.name == name).zip(tag(&name));
    let Some((asset, tag)) = found else { return WebError::no_page().into_response() };
    let versioned =
        request.uri().query().and_then(|query| query.strip_prefix("v=")) == Some(version());
    let keep = if versioned { "private, max-age=31536000, immutable" } else { "no-cache" };
    let etag = format!("\"{tag}\"");
    let known = is_known(request.headers(), &etag);
    let body = if known { &[][..] } else { asset.bytes };
    let status = if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
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
}

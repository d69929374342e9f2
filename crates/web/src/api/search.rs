//! Search, as the command line does it.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::StatusCode;
use skein_search::{Page, Query, SearchScope};

use crate::error::WebError;
use crate::json::Json;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many threads are given, where nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 1000;
/// How many characters of the text around a match are given.
const WIDTH: usize = 160;

/// Answers with the threads that match.
pub(super) async fn search(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Response, WebError> {
    site.run(move |site| {
        pairs.only(&["q", "limit", "offset", "everywhere"])?;
        let text = pairs.get("q").unwrap_or_default();
        let occurs = |key: &str, value: &str| site.occurs(key, value);
        let query = Query::parse_or(text, site.env.clock.now(), &occurs).map_err(|error| {
            let message = format!("{error} (bytes {} to {})", error.at.start, error.at.end);
            WebError::new(StatusCode::BAD_REQUEST, message).hint(error.hint())
        })?;
        if query.is_empty() {
            let error = WebError::new(StatusCode::BAD_REQUEST, "there is nothing to look for");
            return Err(error.hint("give words or filters as `q`"));
        }
        let limit = number(&pairs, "limit", DEFAULT_LIMIT)?.min(MAX_LIMIT);
        let page = Page { offset: number(&pairs, "offset", 0)?, limit, width: WIDTH };
        let everywhere = pairs.get("everywhere").is_some();
        let reach = if everywhere { SearchScope::Everywhere } else { SearchScope::Here };
        let mut hits = site.search(&query, page, reach);
        hits.place(&site.desk.workspace(), &site.env);
        Ok(Json(hits).into_response())
    })
    .await
}

fn number(pairs: &QueryParams, name: &str, without: usize) -> Result<usize, WebError> {
    let Some(text) = pairs.get(name) else { return Ok(without) };
    text.parse().map_err(|_| {
        WebError::new(StatusCode::BAD_REQUEST, format!("`{name}` is no number: {text}"))
            .hint("write it in digits")
    })
}

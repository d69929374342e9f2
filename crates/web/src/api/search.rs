//! Search, as on the command line.

use skein_search::{Hits, Page, Query, SearchScope};

use super::{JsonResult, number};
use crate::app_state::AppState;
use crate::json::Json;
use crate::request::{ParamsRequest, bad_request};

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 1000;
/// The width of a snippet, in characters.
const SNIPPET_WIDTH: usize = 160;

pub(super) fn search(app: &AppState, (params,): ParamsRequest) -> JsonResult<Hits> {
    params.only(&["q", "limit", "offset", "everywhere"])?;
    let text = params.get("q").unwrap_or_default();
    let occurs = |key: &str, value: &str| app.occurs(key, value);
    let query = Query::parse_or(text, app.clock().now(), &occurs).map_err(|error| {
        let message = format!("{error} (bytes {} to {})", error.at.start, error.at.end);
        bad_request(message, error.hint())
    })?;
    if query.is_empty() {
        return Err(bad_request("the query is empty", "send words or filters as `q`"));
    }
    let limit = number(&params, "limit")?.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let offset = number(&params, "offset")?.unwrap_or(0);
    let page = Page { offset, limit, width: SNIPPET_WIDTH };
    let everywhere = params.get("everywhere").is_some();
    let scope = if everywhere { SearchScope::Everywhere } else { SearchScope::Here };
    let mut hits = app.search(&query, page, scope);
    hits.place(&app.live.workspace());
    Ok(Json(hits))
}

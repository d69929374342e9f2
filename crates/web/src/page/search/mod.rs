//! The search page, and the result that is fetched while typing.

mod complete;
mod hit;
mod readable;

use askama::Template;
use skein_model::Kind;
use skein_search::{Hits, Page, Query, QueryError, SearchScope};

use super::frame::PageFrame;
use super::{PageRequest, PageResult};
use crate::app_state::AppState;
use crate::encode::encode;
use crate::error::ticked;
use crate::request::{ParamsRequest, QueryParams};
use complete::{Completion, completions};
use hit::HitLine;

/// The number of threads that are shown at first; each request for more adds twice as many.
const PAGE_SIZE: usize = 20;
const MAX_SHOWN: usize = 200;
/// The width of a snippet, in characters.
const SNIPPET_WIDTH: usize = 180;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: PageFrame,
    found: SearchResult,
}

#[derive(Template)]
#[template(path = "found.html")]
struct SearchResult {
    q: String,
    everywhere: bool,
    state: SearchState,
    /// The hits by kind; the kind of the best hit comes first.
    groups: Vec<HitGroup>,
    total: usize,
    /// The address of the same page with more hits.
    more: Option<String>,
    error: Option<QueryErrorHtml>,
    completions: Vec<Completion>,
    /// The address of the same query in all workspaces.
    wider: String,
    problems: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchState {
    NoQuery,
    InvalidQuery,
    Searched,
}

impl SearchState {
    fn as_str(self) -> &'static str {
        match self {
            Self::NoQuery => "nothing",
            Self::InvalidQuery => "wrong",
            Self::Searched => "found",
        }
    }
}

/// The hits of a kind, the best first.
struct HitGroup {
    kind: &'static str,
    name: &'static str,
    /// The query for this kind only, and its address; none if the query already has a kind.
    only: Option<(String, String)>,
    hits: Vec<HitLine>,
}

/// An error in the query, with the parts of the query before and after it.
struct QueryErrorHtml {
    before: String,
    part: String,
    after: String,
    message: String,
    hint: String,
}

struct SearchRequest {
    q: String,
    scope: SearchScope,
    limit: usize,
}

impl SearchRequest {
    fn from_params(params: &QueryParams) -> Self {
        let limit = params.get("show").and_then(|show| show.parse().ok()).unwrap_or(PAGE_SIZE);
        let everywhere = params.get("everywhere").is_some();
        Self {
            q: params.get("q").unwrap_or_default().to_owned(),
            scope: if everywhere { SearchScope::Everywhere } else { SearchScope::Here },
            limit: limit.clamp(1, MAX_SHOWN),
        }
    }
}

fn address(q: &str, scope: SearchScope) -> String {
    let everywhere = if scope == SearchScope::Everywhere { "&everywhere=1" } else { "" };
    format!("/search?q={}{everywhere}", encode(q))
}

/// Shows the page, which works without a script.
pub(super) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let request = SearchRequest::from_params(&params);
    let title = if request.q.is_empty() { "Search".to_owned() } else { request.q.clone() };
    let frame = PageFrame::new(app, &view, "search", &title);
    super::render(&SearchPage { frame, found: find(app, &request) })
}

/// Returns the result without the page.
pub(super) fn fragment(app: &AppState, (params,): ParamsRequest) -> PageResult {
    super::render(&find(app, &SearchRequest::from_params(&params)))
}

fn find(app: &AppState, request: &SearchRequest) -> SearchResult {
    let mut found = SearchResult {
        q: request.q.clone(),
        everywhere: request.scope == SearchScope::Everywhere,
        state: SearchState::NoQuery,
        groups: Vec::new(),
        total: 0,
        more: None,
        error: None,
        completions: completions(app, &request.q, request.scope),
        wider: address(&request.q, SearchScope::Everywhere),
        problems: Vec::new(),
    };
    match parse(app, &request.q, !found.completions.is_empty()) {
        Err(error) => {
            let part =
                |range: std::ops::Range<usize>| request.q.get(range).unwrap_or_default().to_owned();
            found.state = SearchState::InvalidQuery;
            found.error = Some(QueryErrorHtml {
                before: part(0..error.at.start),
                part: part(error.at.clone()),
                after: part(error.at.end..request.q.len()),
                message: ticked(&error.to_string()),
                hint: ticked(&error.hint()),
            });
        }
        Ok(query) if query.is_empty() => {}
        Ok(query) => {
            let page = Page { offset: 0, limit: request.limit, width: SNIPPET_WIDTH };
            let hits = app.search(&query, page, request.scope);
            found.state = SearchState::Searched;
            add(&mut found, app, request, hits);
        }
    }
    found
}

/// Parses a query. An invalid filter at its end is ignored if it can still be completed.
fn parse(app: &AppState, q: &str, can_complete: bool) -> Result<Query, QueryError> {
    let now = app.clock().now();
    let occurs = |key: &str, value: &str| app.occurs(key, value);
    match Query::parse_typed(q, now, &occurs) {
        Err(error) if can_complete && error.at.end == q.len() => {
            let before = q.get(..error.at.start).unwrap_or_default();
            Query::parse_or(before, now, &occurs).map_err(|_| error)
        }
        parsed => parsed,
    }
}

fn group(kind: Kind, request: &SearchRequest) -> HitGroup {
    let name = match kind {
        Kind::Review => "Review threads",
        Kind::Checkpoint => "Checkpoints",
        Kind::Session => "Sessions",
    };
    let q = format!("kind:{} {}", kind.as_str(), request.q);
    let only = (!request.q.to_lowercase().contains("kind:")).then(|| {
        let address = address(&q, request.scope);
        (q, address)
    });
    HitGroup { kind: kind.as_str(), name, only, hits: Vec::new() }
}

fn add(found: &mut SearchResult, app: &AppState, request: &SearchRequest, hits: Hits) {
    let board = app.thread_index();
    let shown = hits.hits.len();
    found.total = hits.total;
    found.more = (shown < hits.total && request.limit < MAX_SHOWN).then(|| {
        let limit = request.limit.saturating_add(PAGE_SIZE * 2).min(MAX_SHOWN);
        format!("{}&show={limit}", address(&request.q, request.scope))
    });
    for hit in &hits.hits {
        let line = HitLine::new(hit, app, &board);
        match found.groups.iter_mut().find(|group| group.kind == hit.row.kind.as_str()) {
            Some(group) => group.hits.push(line),
            None => {
                found.groups.push(HitGroup { hits: vec![line], ..group(hit.row.kind, request) });
            }
        }
    }
    let problem =
        |diag: skein_model::view::FileDiagnostic| format!("{}: {}", diag.path, diag.message);
    found.problems = hits.diagnostics.into_iter().map(problem).collect();
}

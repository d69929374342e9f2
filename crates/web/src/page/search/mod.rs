//! Search: the page, and the part of it that is fetched with each key.

mod complete;
mod hit;
mod readable;

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_model::Kind;
use skein_search::{Hits, Page, Query, QueryError, SearchScope};

use super::frame::PageFrame;
use crate::encode::encode;
use crate::error::{WebError, ticked};
use crate::request::QueryParams;
use crate::site::AppState;
use complete::{Completion, completions};
use hit::HitLine;

/// How many threads are shown, and how many more with each click.
const PAGE_SIZE: usize = 20;
/// No page is longer than this.
const MAX_SHOWN: usize = 200;
/// How many characters of the text around a match are shown.
const WIDTH: usize = 180;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: PageFrame,
    found: Found,
}

/// What was found, as a part of the page.
#[derive(Template)]
#[template(path = "found.html")]
struct Found {
    q: String,
    everywhere: bool,
    state: &'static str,
    /// Each kind with what was found of it; the kind of the best hit comes first.
    groups: Vec<Group>,
    total: usize,
    /// The address of the same page with more of it.
    more: Option<String>,
    /// What went wrong with the query: its parts around the wrong one, what is wrong, and what to do.
    wrong: Option<Wrong>,
    completions: Vec<Completion>,
    /// The address of the same query in all workspaces.
    wider: String,
    problems: Vec<String>,
}

/// The threads of a kind that were found, the best first.
struct Group {
    kind: &'static str,
    name: &'static str,
    /// The query for these alone, and its address; none where it asks for a kind already.
    only: Option<(String, String)>,
    hits: Vec<HitLine>,
}

struct Wrong {
    before: String,
    part: String,
    after: String,
    message: String,
    hint: String,
}

/// What is asked for.
struct Asked {
    q: String,
    reach: SearchScope,
    show: usize,
}

impl Asked {
    fn from_params(pairs: &QueryParams) -> Self {
        let show = pairs.get("show").and_then(|show| show.parse().ok()).unwrap_or(PAGE_SIZE);
        let everywhere = pairs.get("everywhere").is_some();
        Self {
            q: pairs.get("q").unwrap_or_default().to_owned(),
            reach: if everywhere { SearchScope::Everywhere } else { SearchScope::Here },
            show: show.clamp(1, MAX_SHOWN),
        }
    }

    fn address(&self, show: usize) -> String {
        format!("{}&show={show}", address(&self.q, self.reach))
    }
}

fn address(q: &str, reach: SearchScope) -> String {
    let everywhere = if reach == SearchScope::Everywhere { "&everywhere=1" } else { "" };
    format!("/search?q={}{everywhere}", encode(q))
}

/// Shows the page; it works without a script.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, |site, visit, pairs| {
        let asked = Asked::from_params(pairs);
        let title = if asked.q.is_empty() { "Search".to_owned() } else { asked.q.clone() };
        let frame = PageFrame::new(site, visit, "search", &title);
        Ok(SearchPage { frame, found: find(site, &asked) })
    })
    .await
}

/// Answers with what was found alone.
pub(super) async fn fragment(
    State(site): State<Arc<AppState>>,
    pairs: QueryParams,
) -> Result<Html<String>, WebError> {
    site.run(move |site| super::render(&find(site, &Asked::from_params(&pairs)))).await
}

fn find(site: &AppState, asked: &Asked) -> Found {
    let mut found = Found {
        q: asked.q.clone(),
        everywhere: asked.reach == SearchScope::Everywhere,
        state: "nothing",
        groups: Vec::new(),
        total: 0,
        more: None,
        wrong: None,
        completions: completions(site, &asked.q, asked.reach),
        wider: address(&asked.q, SearchScope::Everywhere),
        problems: Vec::new(),
    };
    match parse(site, &asked.q, !found.completions.is_empty()) {
        Err(error) => {
            let part =
                |range: std::ops::Range<usize>| asked.q.get(range).unwrap_or_default().to_owned();
            found.state = "wrong";
            found.wrong = Some(Wrong {
                before: part(0..error.at.start),
                part: part(error.at.clone()),
                after: part(error.at.end..asked.q.len()),
                message: ticked(&error.to_string()),
                hint: ticked(&error.hint()),
            });
        }
        Ok(query) if query.is_empty() => {}
        Ok(query) => {
            let page = Page { offset: 0, limit: asked.show, width: WIDTH };
            let hits = site.search(&query, page, asked.reach);
            found.state = "found";
            add(&mut found, site, asked, hits);
        }
    }
    found
}

/// Reads a query; a filter at its end that can still become one is left out until it is.
fn parse(site: &AppState, q: &str, may_go_on: bool) -> Result<Query, QueryError> {
    let now = site.env.clock.now();
    let occurs = |key: &str, value: &str| site.occurs(key, value);
    match Query::parse_typed(q, now, &occurs) {
        Err(error) if may_go_on && error.at.end == q.len() => {
            let before = q.get(..error.at.start).unwrap_or_default();
            Query::parse_or(before, now, &occurs).map_err(|_| error)
        }
        parsed => parsed,
    }
}

fn group(kind: Kind, asked: &Asked) -> Group {
    let name = match kind {
        Kind::Review => "Review threads",
        Kind::Checkpoint => "Checkpoints",
        Kind::Session => "Sessions",
    };
    let q = format!("kind:{} {}", kind.as_str(), asked.q);
    let only = (!asked.q.to_lowercase().contains("kind:")).then(|| {
        let address = address(&q, asked.reach);
        (q, address)
    });
    Group { kind: kind.as_str(), name, only, hits: Vec::new() }
}

fn add(found: &mut Found, site: &AppState, asked: &Asked, hits: Hits) {
    let board = site.board();
    let shown = hits.hits.len();
    found.total = hits.total;
    found.more = (shown < hits.total && asked.show < MAX_SHOWN)
        .then(|| asked.address(asked.show.saturating_add(PAGE_SIZE * 2).min(MAX_SHOWN)));
    for hit in &hits.hits {
        let line = HitLine::new(hit, site, &board);
        match found.groups.iter_mut().find(|group| group.kind == hit.row.kind.as_str()) {
            Some(group) => group.hits.push(line),
            None => found.groups.push(Group { hits: vec![line], ..group(hit.row.kind, asked) }),
        }
    }
    let problem =
        |diag: skein_model::view::FileDiagnostic| format!("{}: {}", diag.path, diag.message);
    found.problems = hits.diagnostics.into_iter().map(problem).collect();
}

//! `review_threads`: a list of threads, or whole ones.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_catalog::{ShortIds, WorktreeScope, list, show_review};
use skein_format::redact::redact;
use skein_model::view::{PlacementState, ReviewRow, ThreadRow, ThreadView};
use skein_model::{Filter, Kind, Turn, relative_time};
use skein_review::quote::inline;
use skein_review::{has_suggestion, thread_text, turn_text, views};
use skein_search::{Page, Query, SearchScope, Searcher};

use crate::call::{ToolCall, shown_id, with_data};
use crate::failure::{Failure, ToolResult};
use crate::page::PageKey;
use crate::params;

const MAX_LIST_CHARS: usize = 6_000;
const MAX_THREAD_CHARS: usize = 6_000;
const MAX_THREADS_CHARS: usize = 24_000;
const MAX_IDS: usize = 20;
const DEFAULT_LIMIT: usize = 25;
/// Room for the lines before and after the list.
const FRAME_CHARS: usize = 500;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    ids: Vec<String>,
    path: Option<String>,
    waiting_on: Option<WaitingOn>,
    status: Option<StatusParam>,
    query: Option<String>,
    #[serde(deserialize_with = "params::number")]
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WaitingOn {
    Agent,
    Reviewer,
    Any,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StatusParam {
    #[default]
    Open,
    Resolved,
    All,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let params: Params = params::read(arguments)?;
    if params.ids.is_empty() {
        return list_threads(call, &params);
    }
    let others = [
        ("path", params.path.is_some()),
        ("waiting_on", params.waiting_on.is_some()),
        ("status", params.status.is_some()),
        ("query", params.query.is_some()),
        ("limit", params.limit.is_some()),
        ("cursor", params.cursor.is_some()),
    ];
    params::unused("ids", &others)?;
    show(call, &params.ids)
}

/// Returns whole threads.
fn show(call: &ToolCall, ids: &[String]) -> ToolResult {
    params::count("ids", ids, 1, MAX_IDS)?;
    let short_ids = call.short_ids();
    let mut threads = Vec::new();
    for id in ids {
        let thread = call.find(id)?;
        threads.push(
            show_review(&call.workspace, &thread).map_err(|error| {
                Failure::new(format!("the thread cannot be read: {id}: {error}"))
            })?,
        );
    }
    let (mut text, mut left_out) = (String::new(), Vec::new());
    for view in threads {
        let id = shown_id(&short_ids.short_id(&view.row));
        let one = thread_text(&view, &id, &state(&view.row), MAX_THREAD_CHARS);
        let length = text.chars().count() + one.chars().count();
        if length > MAX_THREADS_CHARS - FRAME_CHARS {
            left_out.push(id);
        } else {
            text.push_str(&one);
        }
    }
    if !left_out.is_empty() {
        let line = format!("Left out, ask again: {}\n", left_out.join(", "));
        text.push_str(&line);
    }
    Ok(with_data(&text, MAX_THREADS_CHARS))
}

/// Returns the status of a thread, and whose turn it is.
pub(super) fn state(row: &ThreadRow) -> String {
    let status = shown_id(row.status.as_deref().unwrap_or("unusable"));
    let Some(detail) = row.review() else { return status };
    let turn = turn_text(detail).map(|turn| format!(", {turn}")).unwrap_or_default();
    let claim = detail.claim.as_ref();
    let claim = claim.map(|claim| format!(", claimed by {}", inline(&claim.by)));
    format!("{status}{turn}{}", claim.unwrap_or_default())
}

/// Returns one line for each thread of a page.
fn list_threads(call: &ToolCall, params: &Params) -> ToolResult {
    let workspace = &call.workspace;
    let limit = params::limit(params.limit, DEFAULT_LIMIT)?;
    let filters = (&params.path, params.waiting_on, params.status, &params.query);
    let after = params.cursor.as_deref().map(|text| PageKey::from_cursor(text, &filters));
    let after = after.transpose()?;
    let of_path = params::path_filter(workspace, params.path.as_deref())?;
    let filter = Filter { kind: Some(Kind::Review), ..of_path };
    let mut rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let open = rows.iter().filter(|row| is_open(row)).count();
    let waiting = rows.iter().filter(|row| turn(row) == Some(Turn::Agent)).count();
    rows.retain(|row| params.selects(row));
    if let Some(query) = &params.query {
        let found = matching_ids(call, query)?;
        rows.retain(|row| found.contains(&row.id));
    }
    let total = rows.len();
    let mut rows: Vec<(PageKey, ThreadRow)> =
        rows.into_iter().map(|row| (PageKey::of_row(&row), *row)).collect();
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    rows.retain(|(key, _)| after.as_ref().is_none_or(|after| key > after));
    let first = total - rows.len();
    let (keys, page): (Vec<_>, Vec<_>) = rows.into_iter().take(limit).unzip();
    let lines = lines(call, &page);
    let (shown, text) = fitting(&lines);
    let last = first + shown;
    let range = match shown {
        0 => "none shown".to_owned(),
        _ => format!("{} to {last} of {total} shown, newest first", first + 1),
    };
    let wait = if waiting == 1 { "thread waits" } else { "threads wait" };
    let next = keys.get(shown.wrapping_sub(1)).filter(|_| last < total);
    let cursor = next.map(|key| format!("cursor: {}", key.cursor(&filters))).unwrap_or_default();
    let answer = format!("{waiting} {wait} on an agent, {open} open; {range}\n{text}{cursor}");
    Ok(with_data(&answer, MAX_LIST_CHARS))
}

impl Params {
    fn selects(&self, row: &ThreadRow) -> bool {
        let status = self.status.unwrap_or_default();
        let has_status = match status {
            StatusParam::Open => is_open(row),
            StatusParam::Resolved => row.status.as_deref() == Some("resolved"),
            StatusParam::All => true,
        };
        let default = if status == StatusParam::Open { WaitingOn::Agent } else { WaitingOn::Any };
        let has_turn = match self.waiting_on.unwrap_or(default) {
            WaitingOn::Agent => turn(row) == Some(Turn::Agent),
            WaitingOn::Reviewer => turn(row) == Some(Turn::Reviewer),
            WaitingOn::Any => true,
        };
        has_status && has_turn
    }
}

fn is_open(row: &ThreadRow) -> bool {
    row.status.as_deref() == Some("open")
}

fn turn(row: &ThreadRow) -> Option<Turn> {
    row.review()?.waiting_on
}

/// Returns the threads that contain the words of a query.
pub(super) fn matching_ids(call: &ToolCall, query: &str) -> Result<BTreeSet<String>, Failure> {
    let workspace = &call.workspace;
    let now = workspace.env.clock.now();
    // What is not in the language of queries is looked for as it is.
    let quoted = || format!("\"{}\"", query.replace('"', " "));
    let parsed = Query::parse(query, now).or_else(|_| Query::parse(&quoted(), now));
    let query = parsed.map_err(|error| Failure::new(format!("not a query: {query}: {error}")))?;
    let searcher = Searcher::new(workspace.clone(), SearchScope::Here, false);
    let all = Page { offset: 0, limit: usize::MAX, width: 1 };
    let hits = searcher.query(&query, all, &()).hits;
    Ok(hits.into_iter().map(|hit| hit.row.id).collect())
}

/// Returns as many lines as fit, and their number.
pub(super) fn fitting(lines: &[String]) -> (usize, String) {
    let mut text = String::new();
    let mut shown = 0;
    let mut left = MAX_LIST_CHARS - FRAME_CHARS;
    for line in lines {
        let length = line.chars().count() + 1;
        if length > left {
            break;
        }
        left -= length;
        shown += 1;
        text.push_str(line);
        text.push('\n');
    }
    (shown, text)
}

fn lines(call: &ToolCall, rows: &[ThreadRow]) -> Vec<String> {
    let short_ids = call.short_ids();
    let mut views = views(&call.workspace, rows).into_iter().peekable();
    let line = |row: &ThreadRow| {
        // A thread that was deleted in the meantime has no view.
        let view = views.next_if(|view| view.row.id == row.id);
        line(call, &short_ids, row, view.as_ref())
    };
    rows.iter().map(line).collect()
}

fn line(
    call: &ToolCall,
    short_ids: &ShortIds,
    row: &ThreadRow,
    view: Option<&ThreadView>,
) -> String {
    let id = shown_id(&short_ids.short_id(row));
    let detail = row.review();
    let place = view.and_then(ThreadView::placement);
    let at = place.map(|place| place.at()).or_else(|| detail?.at.clone()).unwrap_or_default();
    let moved = match place.map(|place| (place.state, place.certainty())) {
        Some((state, Some(certainty))) => format!(" ({state}, {certainty})"),
        Some((state @ (PlacementState::Moved | PlacementState::Gone), None)) => {
            format!(" ({state})")
        }
        _ => String::new(),
    };
    let count = detail.map_or(0, |detail| detail.comment_count);
    let comments = if count == 1 { "comment" } else { "comments" };
    let age = relative_time::long(row.updated_at, call.workspace.env.clock.now());
    let body = view.and_then(ThreadView::review_body);
    let suggestion = if body.is_some_and(has_suggestion) { ", suggestion" } else { "" };
    let proposed = detail.is_some_and(|detail: &ReviewRow| detail.proposed_resolved);
    let proposed = if proposed { ", proposed to resolve" } else { "" };
    let (at, title) = (inline(&at), inline(&redact(&row.title)));
    let state = state(row);
    format!(
        "{id} {at}{moved} {state}, {count} {comments}, changed {age}{suggestion}{proposed}: {title}"
    )
}

//! The page of all checkpoints, by day.

use std::sync::Arc;

use askama::Template;
use skein_live::{Timeline, TimelineEntry};
use skein_model::view::FileDiagnostic;
use skein_model::{LocalClock, fold_autos};

use super::filter::{CheckpointFilter, branch_of, count_values, tags_of};
use super::timeline_line::TimelineLine;
use crate::app_state::AppState;
use crate::page::frame::PageFrame;
use crate::page::pager::Pager;
use crate::page::{FilterLink, PageRequest, PageResult, render, time};

const PAGE_SIZE: usize = 50;

/// The types that can be chosen: their names, and the values of the parameter.
const KINDS: [(&str, &str); 4] =
    [("All", ""), ("Checkpoints", "checkpoint"), ("Handoffs", "handoff"), ("Automatic", "auto")];

const STATES: [&str; 6] = ["idle", "loading", "executing", "verifying", "completed", "error"];

#[derive(Template)]
#[template(path = "work/timeline.html")]
struct TimelinePage {
    frame: PageFrame,
    filter: CheckpointFilter,
    kinds: Vec<FilterLink>,
    branches: Vec<(String, usize)>,
    tags: Vec<(String, usize)>,
    states: [&'static str; 6],
    days: Vec<Day>,
    pager: Pager,
    left: usize,
    problems: Vec<FileDiagnostic>,
    has_some: bool,
}

/// The checkpoints of a day.
struct Day {
    key: String,
    name: String,
    lines: Vec<TimelineLine>,
}

/// Shows the matching checkpoints, the newest first.
pub(crate) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let (timeline, links) = (app.live.timeline(), app.links());
    let filter = CheckpointFilter::from_params(&params);
    let any_kind = filter.with_kind("").apply(&timeline, &links);
    let kinds = KINDS.map(|(name, kind)| FilterLink {
        name,
        href: filter.with_kind(kind).href("/work", &[]),
        on: filter.kind == kind,
        count: any_kind.iter().filter(|entry| kind.is_empty() || is_kind(entry, kind)).count(),
    });
    let any_branch = filter.without_branch().apply(&timeline, &links);
    let on_branch = any_branch.iter().filter_map(|entry| Some((branch_of(entry)?, 1)));
    let branches = count_values(&timeline.branches, &filter.branch, on_branch);
    let any_tag = filter.without_tag().apply(&timeline, &links);
    let with_tag = any_tag.iter().flat_map(|entry| tags_of(entry)).map(|tag| (tag, 1));
    let tags = count_values(&timeline.tags, &filter.tag, with_tag);
    let shown = filter.apply(&timeline, &links);
    let shown: Vec<(Arc<TimelineEntry>, usize)> = match filter.wants_autos() {
        true => shown.into_iter().map(|entry| (entry, 0)).collect(),
        false => fold_autos(shown, |entry| &entry.row),
    };
    let href = |page: &str| filter.href("/work", &[("page", page)]);
    let pager = Pager::new(&params, ("checkpoints", shown.len(), PAGE_SIZE), href);
    let end = shown.len().min(pager.before() + PAGE_SIZE);
    let part = shown.get(pager.before()..end).unwrap_or_default();
    render(&TimelinePage {
        frame: PageFrame::new(app, &view, "work", "Work"),
        days: days(part, &timeline, app.clock().local()),
        left: timeline.open_steps(),
        kinds: kinds.into(),
        branches,
        tags,
        states: STATES,
        pager,
        problems: timeline.diagnostics.clone(),
        has_some: !timeline.entries.is_empty(),
        filter,
    })
}

fn is_kind(entry: &TimelineEntry, kind: &str) -> bool {
    let Some(detail) = entry.row.checkpoint() else { return false };
    detail.kind == kind || (kind == "auto" && detail.kind == "auto-checkpoint")
}

/// Groups checkpoints by the day on which they were made.
fn days(part: &[(Arc<TimelineEntry>, usize)], timeline: &Timeline, clock: LocalClock) -> Vec<Day> {
    let handoff = timeline.handoff.as_ref().map(|handoff| handoff.id.as_str());
    let day = |part: &[(Arc<TimelineEntry>, usize)]| {
        let key = part.first().map(|(entry, _)| date(entry)).unwrap_or_default();
        let line = |(entry, more): &(Arc<TimelineEntry>, usize)| {
            TimelineLine::new(entry, handoff, *more, clock)
        };
        Day { name: date_name(&key), lines: part.iter().map(line).collect(), key }
    };
    part.chunk_by(|(a, _), (b, _)| date(a) == date(b)).map(day).collect()
}

/// Returns the date on which a checkpoint was made: `2026-01-23`.
fn date(entry: &TimelineEntry) -> String {
    time(entry.made()).chars().take(10).collect()
}

/// Returns a date in words.
fn date_name(date: &str) -> String {
    let date = date.parse::<jiff::civil::Date>();
    date.map_or("Unknown date".to_owned(), |date| date.strftime("%-d %B %Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_shown_in_words() {
        assert_eq!(date_name("2026-01-05"), "5 January 2026");
        assert_eq!(date_name("2026-12-31"), "31 December 2026");
        assert_eq!(date_name(""), "Unknown date");
    }
}

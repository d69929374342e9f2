//! The page of all checkpoints, day by day.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_format::time::Time;
use skein_live::{Timeline, TimelineEntry};
use skein_model::view::{FileDiagnostic, RowDetail};
use skein_model::{LocalClock, fold_autos};

use super::filter::{WorkFilter, branch_of, counted, tags_of};
use super::pager::Pager;
use super::timeline_row::Moment;
use crate::error::WebError;
use crate::page::choice::Choice;
use crate::page::frame::PageFrame;
use crate::page::visit::ViewOptions;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many checkpoints are on a page.
const LENGTH: usize = 50;

/// The types that can be chosen: their names, and the word of an address.
const KINDS: [(&str, &str); 4] =
    [("All", ""), ("Checkpoints", "checkpoint"), ("Handoffs", "handoff"), ("Automatic", "auto")];

const STATES: [&str; 6] = ["idle", "loading", "executing", "verifying", "completed", "error"];

#[derive(Template)]
#[template(path = "work/timeline.html")]
struct TimelinePage {
    frame: PageFrame,
    filter: WorkFilter,
    kinds: Vec<Choice>,
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
    moments: Vec<Moment>,
}

/// Shows the checkpoints that are meant, the newest first.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    crate::page::show(site, request, |site, visit, pairs| Ok(build(site, visit, pairs))).await
}

fn build(site: &AppState, visit: &ViewOptions, pairs: &QueryParams) -> TimelinePage {
    let (timeline, links) = (site.desk.timeline(), site.links());
    let filter = WorkFilter::from_params(pairs);
    let others = filter.with_kind("").of_all(&timeline, &links);
    let kinds = KINDS.map(|(name, kind)| {
        let one = filter.with_kind(kind);
        let count = others.iter().filter(|entry| kind.is_empty() || is_kind(entry, kind)).count();
        Choice { name, href: one.href("/work", &[]), on: filter.kind == kind, count }
    });
    let shown = filter.of_all(&timeline, &links);
    let any_branch = filter.without_branch().of_all(&timeline, &links);
    let on_branch = any_branch.iter().filter_map(|entry| Some((branch_of(entry)?, 1)));
    let branches = counted(&timeline.branches, &filter.branch, on_branch);
    let any_tag = filter.without_tag().of_all(&timeline, &links);
    let with_tag = any_tag.iter().flat_map(|entry| tags_of(entry)).map(|tag| (tag, 1));
    let tags = counted(&timeline.tags, &filter.tag, with_tag);
    let shown: Vec<(Arc<TimelineEntry>, usize)> = match filter.wants_autos() {
        true => shown.into_iter().map(|entry| (entry, 0)).collect(),
        false => fold_autos(shown, |entry| &entry.row),
    };
    let href = |more: &[(&str, String)]| filter.href("/work", more);
    let pager = Pager::new(pairs, ("checkpoints", shown.len(), LENGTH), href);
    let part: Vec<(&TimelineEntry, usize)> = shown
        .iter()
        .skip(pager.before())
        .take(LENGTH)
        .map(|(entry, more)| (entry.as_ref(), *more))
        .collect();
    TimelinePage {
        frame: PageFrame::new(site, visit, "work", "Work"),
        days: days(&part, &timeline, site.env.clock.local()),
        left: timeline.open_steps(),
        kinds: kinds.into(),
        branches,
        tags,
        states: STATES,
        pager,
        problems: timeline.diagnostics.clone(),
        has_some: !timeline.entries.is_empty(),
        filter,
    }
}

fn is_kind(entry: &TimelineEntry, kind: &str) -> bool {
    let RowDetail::Checkpoint(detail) = &entry.row.detail else { return false };
    detail.kind == kind || (kind == "auto" && detail.kind == "auto-checkpoint")
}

/// Puts checkpoints together that were made on one day.
fn days(part: &[(&TimelineEntry, usize)], timeline: &Timeline, clock: LocalClock) -> Vec<Day> {
    let handoff = timeline.handoff.as_deref();
    let of = |part: &[(&TimelineEntry, usize)]| {
        let key = part.first().map(|(entry, _)| day(entry)).unwrap_or_default();
        Day {
            name: name(&key),
            moments: part
                .iter()
                .map(|(entry, more)| Moment::new(entry, handoff, *more, clock))
                .collect(),
            key,
        }
    };
    part.chunk_by(|(a, _), (b, _)| day(a) == day(b)).map(of).collect()
}

/// Returns the date on which a checkpoint was made: `2026-01-23`.
fn day(entry: &TimelineEntry) -> String {
    let date = entry.made().map(|at: Time| at.to_string().chars().take(10).collect());
    date.unwrap_or_default()
}

/// Writes a date for a person.
fn name(date: &str) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let mut parts = date.split('-').map(str::parse::<usize>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) =
        (parts.next(), parts.next(), parts.next())
    else {
        return "At an unknown time".to_owned();
    };
    let month = month.checked_sub(1).and_then(|index| MONTHS.get(index)).unwrap_or(&"");
    format!("{day} {month} {year}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_for_a_person() {
        assert_eq!(name("2026-01-05"), "5 January 2026");
        assert_eq!(name("2026-12-31"), "31 December 2026");
        assert_eq!(name(""), "At an unknown time");
    }
}

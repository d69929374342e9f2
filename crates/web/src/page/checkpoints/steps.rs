//! The page of the steps of all checkpoints.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use askama::Template;
use skein_live::TimelineEntry;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::StepView;

use super::filter::{CheckpointFilter, branch_of, count_values};
use crate::app_state::AppState;
use crate::encode::encode;
use crate::page::frame::PageFrame;
use crate::page::pager::Pager;
use crate::page::{FilterLink, PageRequest, PageResult, render, time};

/// The number of checkpoints on a page.
const PAGE_SIZE: usize = 40;

#[derive(Template)]
#[template(path = "work/steps.html")]
struct StepsPage {
    frame: PageFrame,
    choices: Vec<FilterLink>,
    branches: Vec<(String, usize)>,
    filter: CheckpointFilter,
    show: &'static str,
    groups: Vec<StepGroup>,
    pager: Pager,
    left: usize,
    empty: &'static str,
}

/// The steps of a checkpoint.
struct StepGroup {
    id: String,
    href: String,
    title: String,
    at: String,
    branch: String,
    steps: Vec<ShownStep>,
}

#[derive(Template)]
#[template(path = "work/step.html")]
pub(super) struct ShownStep {
    key: String,
    checkpoint: String,
    number: usize,
    text: String,
    status: String,
    is_open: bool,
    closed: String,
    closed_at: String,
    note: String,
    shown: String,
    can_write: bool,
}

impl ShownStep {
    /// Makes the line of a step, counted from 1.
    pub(super) fn new(checkpoint: &str, number: usize, step: &StepView, can_write: bool) -> Self {
        let by = step.closed_by.as_deref().map(|by| format!("by {}", one_line(by)));
        Self {
            key: format!("s-{checkpoint}-{number}"),
            checkpoint: checkpoint.to_owned(),
            number,
            text: escape_control(&step.step).into_owned(),
            is_open: is_open(step),
            status: one_line(&step.status),
            closed: by.unwrap_or_default(),
            closed_at: step.closed_at.as_deref().map(one_line).unwrap_or_default(),
            note: escape_control(step.note.as_deref().unwrap_or_default()).into_owned(),
            shown: step_token(step),
            can_write,
        }
    }
}

/// Identifies the shown state of a step, so that only that state is changed.
pub(crate) fn step_token(step: &StepView) -> String {
    let mut hasher = DefaultHasher::new();
    (&step.id, &step.step, &step.status).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn is_open(step: &StepView) -> bool {
    !["done", "dropped"].contains(&step.status.as_str())
}

/// Which steps are shown: the value of the parameter, its name, and the text for an empty list.
const CHOICES: [(&str, &str, &str); 4] = [
    ("", "Open", "No open steps."),
    ("done", "Done", "No step is done yet."),
    ("dropped", "Dropped", "No step was dropped."),
    ("all", "All", "No checkpoint has a next step."),
];

fn is_shown(show: &str, step: &StepView) -> bool {
    match show {
        "" => is_open(step),
        "all" => true,
        status => step.status == status,
    }
}

/// Shows the steps of all matching checkpoints.
pub(crate) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let (timeline, links) = (app.live.timeline(), app.links());
    let filter = CheckpointFilter::from_params(&params);
    let wanted = params.get("show").unwrap_or_default();
    let (show, _, empty) =
        CHOICES.iter().find(|(word, ..)| *word == wanted).copied().unwrap_or(("", "", ""));
    let matching = filter.apply(&timeline, &links);
    let count = |entry: &TimelineEntry, show: &str| {
        entry.steps.iter().filter(|step| is_shown(show, step)).count()
    };
    let choices = CHOICES.map(|(word, name, _)| FilterLink {
        name,
        href: filter.href("/work/steps", &[("show", word)]),
        on: word == show,
        count: matching.iter().map(|entry| count(entry, word)).sum(),
    });
    let any_branch = filter.without_branch().apply(&timeline, &links);
    let on_branch =
        any_branch.iter().filter_map(|entry| Some((branch_of(entry)?, count(entry, show))));
    let branches = count_values(&timeline.branches, &filter.branch, on_branch);
    let with: Vec<_> = matching.iter().filter(|entry| count(entry, show) > 0).collect();
    let href = |page: &str| filter.href("/work/steps", &[("show", show), ("page", page)]);
    let pager = Pager::new(&params, ("checkpoints", with.len(), PAGE_SIZE), href);
    let part = with.into_iter().skip(pager.before()).take(PAGE_SIZE);
    render(&StepsPage {
        frame: PageFrame::new(app, &view, "work", "Steps"),
        choices: choices.into(),
        branches,
        groups: part.map(|entry| group(entry, show, !app.read_only)).collect(),
        left: timeline.open_steps(),
        filter,
        show,
        pager,
        empty,
    })
}

fn group(entry: &TimelineEntry, show: &str, can_write: bool) -> StepGroup {
    let row = &entry.row;
    let steps = (1..).zip(&entry.steps).filter(|(_, step)| is_shown(show, step));
    StepGroup {
        href: format!("/work/{}", encode(&row.id)),
        title: one_line(&row.title),
        at: time(entry.made()),
        branch: branch_of(entry).map(|branch| one_line(&branch)).unwrap_or_default(),
        steps: steps
            .map(|(number, step)| ShownStep::new(&row.id, number, step, can_write))
            .collect(),
        id: row.id.clone(),
    }
}

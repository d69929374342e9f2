//! What is left to do in all checkpoints, as one board.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_live::TimelineEntry;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::StepView;

use super::filter::{WorkFilter, branch_of, counted};
use super::pager::Pager;
use crate::encode::encode;
use crate::error::WebError;
use crate::page::choice::Choice;
use crate::page::frame::PageFrame;
use crate::page::visit::ViewOptions;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many checkpoints with steps are on a page.
const LENGTH: usize = 40;

#[derive(Template)]
#[template(path = "work/steps.html")]
struct StepsPage {
    frame: PageFrame,
    choices: Vec<Choice>,
    branches: Vec<(String, usize)>,
    filter: WorkFilter,
    which: &'static str,
    groups: Vec<Group>,
    pager: Pager,
    left: usize,
    nothing: &'static str,
}

/// The steps of a checkpoint.
struct Group {
    id: String,
    href: String,
    title: String,
    at: String,
    branch: String,
    steps: Vec<StepLine>,
}

/// A step as a line of a list.
#[derive(Template)]
#[template(path = "work/step.html")]
pub(super) struct StepLine {
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

impl StepLine {
    /// Makes the line of a step; `number` counts from 1.
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
            note: step
                .note
                .as_deref()
                .map(|note| escape_control(note).into_owned())
                .unwrap_or_default(),
            shown: shown(step),
            can_write,
        }
    }
}

/// Names what is shown of a step, so that it can be told whether it is still that.
pub(crate) fn shown(step: &StepView) -> String {
    let mut hasher = DefaultHasher::new();
    (&step.id, &step.step, &step.status).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn is_open(step: &StepView) -> bool {
    !["done", "dropped"].contains(&step.status.as_str())
}

/// Which steps are shown: the word of an address, its name, and what is said where there is none.
const CHOICES: [(&str, &str, &str); 4] = [
    ("", "Open", "Nothing is left to do."),
    ("done", "Done", "No step is done yet."),
    ("dropped", "Dropped", "No step was dropped."),
    ("all", "All", "No checkpoint names a next step."),
];

fn takes(which: &str, step: &StepView) -> bool {
    match which {
        "" => is_open(step),
        "all" => true,
        status => step.status == status,
    }
}

/// Shows the steps of all checkpoints that are meant.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    crate::page::show(site, request, |site, visit, pairs| Ok(build(site, visit, pairs))).await
}

fn build(site: &AppState, visit: &ViewOptions, pairs: &QueryParams) -> StepsPage {
    let (timeline, links) = (site.desk.timeline(), site.links());
    let filter = WorkFilter::from_params(pairs);
    let asked = pairs.get("show").unwrap_or_default();
    let (which, _, nothing) =
        CHOICES.iter().find(|(word, ..)| *word == asked).copied().unwrap_or(("", "", ""));
    let meant = filter.of_all(&timeline, &links);
    let count = |which: &str| -> usize {
        meant.iter().flat_map(|entry| &entry.steps).filter(|step| takes(which, step)).count()
    };
    let link = |which: &str, more: &[(&str, String)]| {
        let more: Vec<(&str, String)> =
            [("show", which.to_owned())].into_iter().chain(more.iter().cloned()).collect();
        filter.href("/work/steps", &more)
    };
    let choices = CHOICES.map(|(word, name, _)| Choice {
        name,
        href: link(word, &[]),
        on: word == which,
        count: count(word),
    });
    let any_branch = filter.without_branch().of_all(&timeline, &links);
    let steps =
        |entry: &TimelineEntry| entry.steps.iter().filter(|step| takes(which, step)).count();
    let on_branch = any_branch.iter().filter_map(|entry| Some((branch_of(entry)?, steps(entry))));
    let branches = counted(&timeline.branches, &filter.branch, on_branch);
    let has_one = |entry: &&Arc<TimelineEntry>| entry.steps.iter().any(|step| takes(which, step));
    let with: Vec<&Arc<TimelineEntry>> = meant.iter().filter(has_one).collect();
    let pager = Pager::new(pairs, ("checkpoints", with.len(), LENGTH), |more| link(which, more));
    let part = with.iter().skip(pager.before()).take(LENGTH);
    StepsPage {
        frame: PageFrame::new(site, visit, "work", "Steps"),
        choices: choices.into(),
        branches,
        groups: part.map(|entry| group(entry, which, !site.read_only)).collect(),
        left: timeline.open_steps(),
        filter,
        which,
        pager,
        nothing,
    }
}

fn group(entry: &TimelineEntry, which: &str, can_write: bool) -> Group {
    let row = &entry.row;
    let steps = (1..).zip(&entry.steps).filter(|(_, step)| takes(which, step));
    Group {
        href: format!("/work/{}", encode(&row.id)),
        title: one_line(&row.title),
        at: entry.made().map(|at| at.to_string()).unwrap_or_default(),
        branch: branch_of(entry).map(|branch| one_line(&branch)).unwrap_or_default(),
        steps: steps
            .map(|(number, step)| StepLine::new(&row.id, number, step, can_write))
            .collect(),
        id: row.id.clone(),
    }
}

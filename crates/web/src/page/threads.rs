//! The page of all threads.

use askama::Template;
use skein_model::view::FileDiagnostic;

use super::frame::PageFrame;
use super::thread_line::ThreadLine;
use super::{FilterLink, PageRequest, PageResult};
use crate::app_state::AppState;
use crate::encode::encode;
use crate::request::QueryParams;
use crate::thread_index::{IndexedThread, ThreadFilter};

#[derive(Template)]
#[template(path = "threads.html")]
struct ThreadsPage {
    frame: PageFrame,
    choices: Vec<FilterLink>,
    groups: Vec<FileGroup>,
    problems: Vec<FileDiagnostic>,
    /// The text if no thread matches.
    empty: &'static str,
}

/// The threads on one file.
struct FileGroup {
    name: String,
    /// The page of the file, if it exists.
    href: Option<String>,
    lines: Vec<ThreadLine>,
}

/// A filter with its name, its parameter and the text for an empty list.
type NamedFilter = (ThreadFilter, &'static str, (&'static str, &'static str), &'static str);

const FILTERS: [NamedFilter; 7] = [
    (ThreadFilter::Open, "Open", ("", ""), "No open threads."),
    (
        ThreadFilter::WaitingOnReader,
        "Waiting on you",
        ("waiting", "reviewer"),
        "Nothing is waiting on you.",
    ),
    (
        ThreadFilter::WaitingOnOthers,
        "Waiting on others",
        ("waiting", "others"),
        "Nothing is waiting on others.",
    ),
    (
        ThreadFilter::WaitingOnAgent,
        "Waiting on an agent",
        ("waiting", "agent"),
        "Nothing is waiting on an agent.",
    ),
    (ThreadFilter::Drafts, "Drafts", ("status", "draft"), "No drafts."),
    (ThreadFilter::Resolved, "Resolved", ("status", "resolved"), "No resolved threads."),
    (ThreadFilter::All, "All", ("status", "all"), "No threads yet."),
];

/// Lists the threads by file.
pub(super) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    let index = app.thread_index();
    let (filter, _, _, empty) = *chosen(&params);
    let file = params.get("file");
    let on_file = |thread: &&IndexedThread| file.is_none_or(|file| thread.path() == Some(file));
    let threads: Vec<&IndexedThread> =
        index.threads.iter().map(AsRef::as_ref).filter(on_file).collect();
    let choice = |(one, name, param, _): NamedFilter| FilterLink {
        name,
        href: super::address("/threads", [param, ("file", file.unwrap_or_default())]),
        on: one == filter,
        count: threads.iter().filter(|thread| one.matches(thread)).count(),
    };
    // Most users review alone, so this filter is shown only if it has threads.
    let is_offered = |one: &FilterLink| one.name != "Waiting on others" || one.on || one.count > 0;
    let unusable = index.snapshot.views.iter().filter(|view| !view.row.usable);
    let unusable = unusable.filter_map(|view| view.row.diagnostics.first());
    let root = format!("{}/", app.live.workspace().reviews.root.display());
    let relative = |diag: &FileDiagnostic| {
        let path = diag.path.strip_prefix(&root).unwrap_or(&diag.path).to_owned();
        FileDiagnostic { path, ..diag.clone() }
    };
    super::render(&ThreadsPage {
        frame: PageFrame::new(app, &view, "threads", "Threads"),
        choices: FILTERS.into_iter().map(choice).filter(is_offered).collect(),
        problems: unusable.chain(&index.snapshot.diagnostics).map(relative).collect(),
        groups: groups(app, threads.into_iter().filter(|one| filter.matches(one)).collect()),
        empty,
    })
}

/// Returns the filter that the parameters choose.
fn chosen(params: &QueryParams) -> &'static NamedFilter {
    let is = |(_, _, (name, value), _): &&NamedFilter| params.get(name) == Some(*value);
    let [open, ..] = &FILTERS;
    FILTERS.iter().find(is).unwrap_or(open)
}

/// Groups threads by file, in the order of files.
fn groups(app: &AppState, mut threads: Vec<&IndexedThread>) -> Vec<FileGroup> {
    threads.sort_by_key(|thread| thread.path());
    let root = app.live.workspace().reviews.root.clone();
    let group = |threads: &[&IndexedThread]| {
        let name = threads.first().and_then(|one| one.path()).unwrap_or_default().to_owned();
        let exists = root.join(&name).is_file();
        FileGroup {
            href: exists.then(|| format!("/file/{}", encode(&name))),
            lines: threads.iter().map(|thread| ThreadLine::new(thread, app.viewer())).collect(),
            name,
        }
    };
    threads.chunk_by(|a, b| a.path() == b.path()).map(group).collect()
}

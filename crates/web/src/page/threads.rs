//! The page of all threads.

use askama::Template;

use super::damaged::{DamagedFile, damaged_files};
use super::frame::PageFrame;
use super::pager::Pager;
use super::thread_line::ThreadLine;
use super::{FilterLink, PageRequest, PageResult};
use crate::app_state::AppState;
use crate::encode::encode;
use crate::escape::shown_name;
use crate::request::QueryParams;
use crate::thread_index::{IndexedThread, ThreadFilter};

/// The number of threads on a page. With 3,000 on one page, a browser needed four seconds for its 50,000 elements.
const PAGE_LEN: usize = 200;

#[derive(Template)]
#[template(path = "threads.html")]
struct ThreadsPage {
    frame: PageFrame,
    choices: Vec<FilterLink>,
    groups: Vec<FileGroup>,
    pager: Pager,
    damaged: Vec<DamagedFile>,
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
    let (filter, _, param, empty) = *chosen(&params);
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
    let mut shown: Vec<&IndexedThread> =
        threads.iter().copied().filter(|one| filter.matches(one)).collect();
    shown.sort_by_key(|thread| thread.path());
    let pager = Pager::new(&params, ("threads", shown.len(), PAGE_LEN), |page| {
        super::address("/threads", [param, ("file", file.unwrap_or_default()), ("page", page)])
    });
    let pager = pager.with_labels("← Previous", "Next →");
    let shown: Vec<&IndexedThread> =
        shown.into_iter().skip(pager.before()).take(PAGE_LEN).collect();
    super::render(&ThreadsPage {
        frame: PageFrame::new(app, &view, "threads", "Threads"),
        choices: FILTERS.into_iter().map(choice).filter(is_offered).collect(),
        damaged: damaged_files(app, &index),
        groups: groups(app, &shown),
        pager,
        empty,
    })
}

/// Returns the filter that the parameters choose.
fn chosen(params: &QueryParams) -> &'static NamedFilter {
    let is = |(_, _, (name, value), _): &&NamedFilter| params.get(name) == Some(*value);
    let [open, ..] = &FILTERS;
    FILTERS.iter().find(is).unwrap_or(open)
}

/// Groups threads, which are sorted by file.
fn groups(app: &AppState, threads: &[&IndexedThread]) -> Vec<FileGroup> {
    let root = app.live.workspace().reviews.root.clone();
    let group = |threads: &[&IndexedThread]| {
        let name = threads.first().and_then(|one| one.path()).unwrap_or_default().to_owned();
        let exists = root.join(&name).is_file();
        FileGroup {
            href: exists.then(|| format!("/file/{}", encode(&name))),
            lines: threads.iter().map(|thread| ThreadLine::new(thread, app.viewer())).collect(),
            name: shown_name(&name),
        }
    };
    threads.chunk_by(|a, b| a.path() == b.path()).map(group).collect()
}

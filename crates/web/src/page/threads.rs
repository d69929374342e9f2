//! The page of all threads.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_model::view::FileDiagnostic;

use super::board::IndexedThread;
use super::choice::Choice;
use super::frame::PageFrame;
use super::line::Line;
use super::visit::ViewOptions;
use super::which::Which;
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;

#[derive(Template)]
#[template(path = "threads.html")]
struct ThreadsPage {
    frame: PageFrame,
    choices: Vec<Choice>,
    groups: Vec<Group>,
    problems: Vec<FileDiagnostic>,
    nothing: &'static str,
}

struct Group {
    name: String,
    /// The page of the file, where it is there.
    href: Option<String>,
    lines: Vec<Line>,
}

/// The name of each choice, the query of its address, and what is said where there is none.
const CHOICES: [(Which, &str, &str, &str); 7] = [
    (Which::Open, "Open", "", "No thread is open."),
    (Which::Reviewer, "Waiting on you", "?waiting=reviewer", "Nothing waits on you."),
    (Which::Others, "Waiting on others", "?waiting=others", "Nothing waits on others."),
    (Which::Agent, "Waiting on an agent", "?waiting=agent", "Nothing waits on an agent."),
    (Which::Drafts, "Drafts", "?status=draft", "There are no drafts."),
    (Which::Resolved, "Resolved", "?status=resolved", "No thread is resolved."),
    (Which::All, "All", "?status=all", "There are no threads yet."),
];

/// Lists the threads by file.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, |site, visit, pairs| Ok(build(site, visit, pairs))).await
}

fn build(site: &AppState, visit: &ViewOptions, pairs: &QueryParams) -> ThreadsPage {
    let board = site.board();
    let threads = &board.threads;
    let which = Which::from_params(pairs);
    let file = pairs.get("file");
    let on_file = |note: &&IndexedThread| file.is_none_or(|file| note.path() == Some(file));
    let notes: Vec<&IndexedThread> =
        board.notes.iter().map(AsRef::as_ref).filter(on_file).collect();
    let choice = |(one, name, query, _): (Which, &'static str, &str, &str)| Choice {
        name,
        href: address(query, file),
        on: one == which,
        count: notes.iter().filter(|view| one.takes(view)).count(),
    };
    let shown: Vec<&IndexedThread> =
        notes.iter().copied().filter(|view| which.takes(view)).collect();
    let broken = threads.views.iter().filter(|view| !view.row.usable);
    let broken = broken.filter_map(|view| view.row.diagnostics.first().cloned());
    let root = format!("{}/", site.desk.workspace().reviews.root.display());
    let below = |diag: FileDiagnostic| {
        let path = diag.path.strip_prefix(&root).unwrap_or(&diag.path).to_owned();
        FileDiagnostic { path, ..diag }
    };
    // Most people review alone.
    let is_offered = |one: &Choice| one.name != "Waiting on others" || one.on || one.count > 0;
    ThreadsPage {
        frame: PageFrame::new(site, visit, "threads", "Threads"),
        choices: CHOICES.into_iter().map(choice).filter(is_offered).collect(),
        groups: groups(site, &shown),
        problems: broken.chain(threads.diagnostics.iter().cloned()).map(below).collect(),
        nothing: CHOICES.iter().find(|one| one.0 == which).map_or("", |one| one.3),
    }
}

/// Writes the address of a choice; a file that was asked for stays the one.
fn address(query: &str, file: Option<&str>) -> String {
    let file = file.map(|file| format!("file={}", crate::encode::encode(file)));
    match (query, file) {
        (_, None) => format!("/threads{query}"),
        ("", Some(file)) => format!("/threads?{file}"),
        (_, Some(file)) => format!("/threads{query}&{file}"),
    }
}

/// Puts threads together that are on one file; they come in the order of files.
fn groups(site: &AppState, shown: &[&IndexedThread]) -> Vec<Group> {
    let mut shown = shown.to_vec();
    shown.sort_by_key(|view| view.path());
    let root = site.desk.workspace().reviews.root.clone();
    let of = |part: &[&IndexedThread]| {
        let name = part.first().and_then(|view| view.path()).unwrap_or_default().to_owned();
        let is_there = root.join(&name).is_file();
        Group {
            href: is_there.then(|| format!("/file/{}", crate::encode::encode(&name))),
            lines: part.iter().map(|view| Line::new(view, site.viewer())).collect(),
            name,
        }
    };
    shown.chunk_by(|a, b| a.path() == b.path()).map(of).collect()
}

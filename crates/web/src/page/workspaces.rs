//! The workspaces of this machine.

use std::path::Path;

use askama::Template;
use skein_workspace::registry::{ReachableWorkspace, reachable};

use super::frame::PageFrame;
use super::{PageRequest, PageResult, count};
use crate::app_state::AppState;

#[derive(Template)]
#[template(path = "workspaces_page.html")]
struct WorkspacesPage {
    frame: PageFrame,
    list: WorkspaceList,
}

/// The list without the page.
#[derive(Template)]
#[template(path = "workspaces.html")]
struct WorkspaceList {
    all: Vec<ReachableWorkspace>,
    read_only: bool,
}

pub(super) fn page(app: &AppState, (view, _): PageRequest) -> PageResult {
    let frame = PageFrame::new(app, &view, "workspaces", "Workspaces");
    super::render(&WorkspacesPage { frame, list: WorkspaceList::new(app) })
}

pub(super) fn fragment(app: &AppState, (): ()) -> PageResult {
    super::render(&WorkspaceList::new(app))
}

impl WorkspaceList {
    fn new(app: &AppState) -> Self {
        Self { all: reachable(&app.live.workspace()), read_only: app.read_only }
    }
}

fn name(one: &ReachableWorkspace) -> String {
    let name = Path::new(&one.known.root).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn counts(one: &ReachableWorkspace) -> String {
    let counts = [(one.known.reviews, "review"), (one.known.checkpoints, "checkpoint")];
    let counts = counts.into_iter().filter_map(|(number, what)| Some(count(number?, what)));
    counts.collect::<Vec<_>>().join(", ")
}

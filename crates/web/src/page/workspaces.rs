//! The workspaces of this machine, to go from one to another.

use std::path::Path;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_workspace::registry::{ReachableWorkspace, reachable};

use super::frame::PageFrame;
use crate::error::WebError;
use crate::site::AppState;

#[derive(Template)]
#[template(path = "workspaces_page.html")]
struct WorkspacesPage {
    frame: PageFrame,
    list: Workspaces,
}

/// The list alone.
#[derive(Template)]
#[template(path = "workspaces.html")]
struct Workspaces {
    all: Vec<One>,
    read_only: bool,
}

struct One {
    name: String,
    root: String,
    branch: Option<String>,
    counts: String,
    here: bool,
    exists: bool,
}

/// Shows the page.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    super::show(site, request, |site, visit, _| {
        let frame = PageFrame::new(site, visit, "workspaces", "Workspaces");
        Ok(WorkspacesPage { frame, list: Workspaces::new(site) })
    })
    .await
}

/// Answers with the list alone.
pub(super) async fn fragment(State(site): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    site.run(|site| super::render(&Workspaces::new(site))).await
}

impl Workspaces {
    fn new(site: &AppState) -> Self {
        let all = reachable(&site.env, &site.desk.workspace());
        Self { all: all.into_iter().map(One::new).collect(), read_only: site.read_only }
    }
}

impl One {
    fn new(one: ReachableWorkspace) -> Self {
        let ReachableWorkspace { known, branch, here } = one;
        let name = Path::new(&known.root).file_name().unwrap_or_default();
        let counts = [(known.reviews, "review"), (known.checkpoints, "checkpoint")];
        let counts =
            counts.into_iter().filter_map(|(number, what)| Some(super::count(number?, what)));
        Self {
            name: name.to_string_lossy().into_owned(),
            counts: counts.collect::<Vec<_>>().join(", "),
            root: known.root,
            branch,
            here,
            exists: known.exists,
        }
    }
}

//! Exports threads for an agent.

use serde::Serialize;
use skein_catalog::leases::Claims;
use skein_catalog::placement::Placer;
use skein_catalog::show::review_view;
use skein_catalog::{ShortIds, ThreadRef, WorktreeScope, branches, list, names};
use skein_model::view::{ThreadRow, ThreadView};
use skein_model::{Filter, Kind, PromptText, Turn};
use skein_workspace::{Actor, Workspace};

use super::next::{is_for, oldest_first};
use super::prompt;

/// Threads with their full content.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// The threads, grouped by file; files and threads are ordered from the oldest.
    pub threads: Vec<ThreadView>,
    /// The number of threads left out because another agent has claimed them.
    pub claimed: usize,
}

/// Options of an export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Whether threads that wait for the reviewer or for other agents are included.
    pub all: bool,
    /// The token of the agent; threads claimed with another token are left out. With none, claimed threads are included.
    pub token: Option<String>,
}

/// Returns the open threads that wait for the agent; with `all` also those that wait for the reviewer.
pub fn export(workspace: &Workspace, filter: &Filter, options: &ExportOptions) -> Exported {
    let all = options.all;
    let mut filter = Filter { kind: Some(Kind::Review), ..filter.clone() };
    filter.status = Some("open".to_owned());
    if !all {
        filter.waiting = Some(Turn::Agent);
    }
    let mut rows = oldest_first(list(workspace, &filter, WorktreeScope::ThisWorktree).threads);
    let mut claimed = 0;
    let actor = Actor::find(workspace, None);
    if actor.agent && !all {
        // Threads that ask for another agent by name, or that another agent has claimed, are left out.
        rows.retain(|row| is_for(row, &actor, &workspace.env));
        if let Some(token) = &options.token {
            let (before, claims) = (rows.len(), Claims::read(workspace));
            rows.retain(|row| !claims.is_taken(row, Some(token)));
            claimed = before - rows.len();
        }
    }
    let mut groups: Vec<(String, Vec<ThreadView>)> = Vec::new();
    for view in views(workspace, &rows).into_iter().filter(|view| view.row.usable) {
        let file = view.path().unwrap_or_default().to_owned();
        match groups.iter_mut().find(|(other, _)| *other == file) {
            Some((_, views)) => views.push(view),
            None => groups.push((file, vec![view])),
        }
    }
    let threads = groups.into_iter().flat_map(|(_, views)| views).collect();
    Exported { threads, claimed }
}

/// Formats threads as one Markdown document, a prompt for an agent.
///
/// Every text from a file is quoted or fenced so that it cannot end its quotation. With `is_elsewhere`, the agent works in another
/// directory, and the document says where the threads are.
pub fn markdown(workspace: &Workspace, exported: &Exported, is_elsewhere: bool) -> PromptText {
    let handles = ShortIds::new(&names(workspace));
    let place = (&workspace.reviews, is_elsewhere);
    PromptText::guard(&prompt::write(&exported.threads, exported.claimed, &handles, place))
}

/// Returns each thread of this worktree; deleted ones are left out.
pub fn views(workspace: &Workspace, rows: &[ThreadRow]) -> Vec<ThreadView> {
    let reviews = &workspace.reviews;
    let mut placer = Placer::new(workspace, reviews);
    let mut view = |row: &ThreadRow| {
        review_view(&mut placer, &ThreadRef::from_row(workspace, row), &workspace.settings)
    };
    let mut views: Vec<ThreadView> = rows.iter().filter_map(|row| view(row).ok()).collect();
    placer.finish();
    branches::mark(workspace, views.iter_mut().map(|view| &mut view.row));
    views
}

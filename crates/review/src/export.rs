//! Threads for an agent to read, all at once.

use serde::Serialize;
use skein_catalog::leases::Claims;
use skein_catalog::placement::Placer;
use skein_catalog::show::review_view;
use skein_catalog::{ShortIds, ThreadRef, WorktreeScope, branches, list, names};
use skein_model::view::{ThreadRow, ThreadView};
use skein_model::{Filter, Kind, Turn};
use skein_workspace::{Actor, Env, Workspace};

use super::next::{is_for, oldest_first};
use super::prompt;

/// Threads with all that is in them.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// The threads file by file; within a file, and among the files, the oldest comes first.
    pub threads: Vec<ThreadView>,
    /// The number of threads that were left out because another agent has claimed them.
    pub claimed: usize,
}

/// What is exported.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Threads that wait on the reviewer too, and those for other agents.
    pub all: bool,
    /// The claimant on whose behalf an agent asks, which gets no thread that another one has claimed; none for every thread.
    pub token: Option<String>,
}

/// Gathers the open threads that wait on the agent; with `all` those that wait on the reviewer too.
pub fn export(
    workspace: &Workspace,
    env: &Env,
    filter: &Filter,
    options: &ExportOptions,
) -> Exported {
    let all = options.all;
    let mut filter = Filter { kind: Some(Kind::Review), ..filter.clone() };
    filter.status = Some("open".to_owned());
    if !all {
        filter.waiting = Some(Turn::Agent);
    }
    let mut rows = oldest_first(list(workspace, env, &filter, WorktreeScope::ThisWorktree).threads);
    let mut claimed = 0;
    let actor = Actor::find(workspace, env, None);
    if actor.agent && !all {
        // An agent is not given what another one is asked for by its name, or has claimed.
        rows.retain(|row| is_for(row, &actor, env));
        if let Some(token) = &options.token {
            let (before, claims) = (rows.len(), Claims::read(workspace, env));
            rows.retain(|row| !claims.is_taken(row, Some(token)));
            claimed = before - rows.len();
        }
    }
    let mut groups: Vec<(String, Vec<ThreadView>)> = Vec::new();
    for view in views(workspace, env, &rows).into_iter().filter(|view| view.row.usable) {
        let file = view.path().unwrap_or_default().to_owned();
        match groups.iter_mut().find(|(other, _)| *other == file) {
            Some((_, views)) => views.push(view),
            None => groups.push((file, vec![view])),
        }
    }
    let threads = groups.into_iter().flat_map(|(_, views)| views).collect();
    Exported { threads, claimed }
}

/// Writes threads as one Markdown document that an agent can be given as it is.
///
/// Every text that comes from a file is quoted or fenced such that it cannot end its quotation.
pub fn markdown(workspace: &Workspace, exported: &Exported) -> String {
    let handles = ShortIds::new(&names(workspace));
    prompt::write(&exported.threads, exported.claimed, &handles, &workspace.reviews)
}

/// Shows each thread of this worktree; one that went away meanwhile is left out.
pub(super) fn views(workspace: &Workspace, env: &Env, rows: &[ThreadRow]) -> Vec<ThreadView> {
    let reviews = &workspace.reviews;
    let mut placer = Placer::new(workspace, reviews, env);
    let mut view = |row: &ThreadRow| {
        review_view(&mut placer, &ThreadRef::from_row(workspace, row), &workspace.settings)
    };
    let mut views: Vec<ThreadView> = rows.iter().filter_map(|row| view(row).ok()).collect();
    placer.finish();
    branches::mark(workspace, env, views.iter_mut().map(|view| &mut view.row));
    views
}

//! Reads unsubmitted threads.
//!
//! A draft is a thread file in the state directory, so that submitting it creates the same bytes in the store.

use std::path::{Path, PathBuf};

use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_model::view::ThreadRow;
use skein_workspace::agent_names::is_agent;
use skein_workspace::{Actor, Env, ReviewStore, Workspace, worktree_copy};

use crate::rows::review;

/// An unsubmitted thread.
#[derive(Clone, Debug)]
pub struct Draft {
    pub path: PathBuf,
    pub doc: ReviewDoc,
}

impl Draft {
    pub fn id(&self) -> String {
        stem(&self.path)
    }

    fn is_of_agent(&self, workspace: &Workspace) -> bool {
        let comments = self.doc.comments();
        comments.first().is_some_and(|first| is_agent(&first.author, &workspace.settings))
    }
}

/// Lists the drafts as rows, oldest first.
pub fn drafts(workspace: &Workspace) -> Vec<ThreadRow> {
    let row = |draft: Draft| {
        let of = (&workspace.reviews, &workspace.settings);
        let mut row = review::row(draft.doc.to_bytes(), &draft.path, of);
        row.mark_draft();
        row
    };
    all(workspace).into_iter().map(row).collect()
}

/// Lists the drafts to show with the threads; none for an agent, which must not act on unsubmitted comments.
pub fn visible_drafts(workspace: &Workspace) -> Vec<ThreadRow> {
    let rows = drafts(workspace);
    if !rows.is_empty() && Actor::find(workspace, None).agent { Vec::new() } else { rows }
}

/// Returns the directory of the drafts.
pub fn dir(workspace: &Workspace) -> PathBuf {
    dir_of(&workspace.env, &workspace.reviews.root)
}

/// Returns the directory of the drafts of a root, which need not exist.
pub fn dir_of(env: &Env, root: &Path) -> PathBuf {
    worktree_copy::drafts_dir(env, root)
}

/// Lists the visible drafts, oldest first.
///
/// Inside an agent's environment only drafts of agents are visible, because an agent must not act on unsubmitted comments of a person.
pub fn all(workspace: &Workspace) -> Vec<Draft> {
    let mut drafts = of_both_sides(workspace);
    if Actor::is_in_agent(&workspace.env) {
        drafts.retain(|draft| draft.is_of_agent(workspace));
    }
    drafts
}

/// Lists the drafts that are submitted together, oldest first: those of agents or those of persons.
pub fn of_one_side(workspace: &Workspace) -> Vec<Draft> {
    let mut drafts = of_both_sides(workspace);
    let by_agent = Actor::find(workspace, None).agent;
    drafts.retain(|draft| draft.is_of_agent(workspace) == by_agent);
    drafts
}

/// Lists the drafts of agents and of persons.
pub(crate) fn of_both_sides(workspace: &Workspace) -> Vec<Draft> {
    let Ok(entries) = dir(workspace).read_dir() else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut drafts: Vec<Draft> = paths.filter_map(|path| read(&workspace.reviews, &path)).collect();
    drafts.sort_by_key(|draft| (draft.doc.head().created_at, draft.path.clone()));
    drafts
}

fn read(reviews: &ReviewStore, path: &Path) -> Option<Draft> {
    path.extension().filter(|extension| *extension == "md")?;
    let bytes = skein_store::read(path).ok()?.bytes;
    let doc = ReviewDoc::parse(bytes, &stem(path), &reviews.store_path).0;
    Some(Draft { path: path.to_owned(), doc })
}

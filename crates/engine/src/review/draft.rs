//! Threads that are kept aside until they are submitted together.
//!
//! A draft is a thread file in the state directory, so that publishing one is creating the same bytes in the store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::review::{NewReview, ReviewDoc};
use skein_store::{CreateError, Guard, create_new, ensure_dir, lock};

use super::add::{AddError, Added, added};
use super::branches;
use super::open::may_create;
use super::placed::retain;
use super::write_error::WriteError;
use crate::actor::Actor;
use crate::agents::is_agent;
use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::filter::Filter;
use crate::lexical::stem;
use crate::read::review;
use crate::update::clear_leftovers;
use crate::view::{Detail, Row};

const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A thread that is not published yet.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) path: PathBuf,
    pub(crate) doc: ReviewDoc,
}

impl Draft {
    pub(crate) fn id(&self) -> String {
        stem(&self.path)
    }

    fn is_of_agent(&self, workspace: &Workspace) -> bool {
        let comments = self.doc.comments();
        comments.first().is_some_and(|first| is_agent(&first.author, &workspace.settings))
    }
}

/// Lists the drafts as rows, in the order in which they were written.
pub fn drafts(workspace: &Workspace, env: &Env) -> Vec<Row> {
    let row = |draft: Draft| {
        let (reviews, settings) = (&workspace.reviews, &workspace.settings);
        let file = draft.path.display().to_string();
        let mut row = review::row(draft.doc.to_bytes(), &draft.id(), &file, reviews, settings);
        row.mark_draft();
        row
    };
    all(workspace, env).into_iter().map(row).collect()
}

/// Lists the drafts beside the threads; an agent sees none, because it must not act on what is not submitted.
pub(crate) fn visible_drafts(workspace: &Workspace, env: &Env) -> Vec<Row> {
    let rows = drafts(workspace, env);
    if !rows.is_empty() && Actor::find(workspace, env, None).agent { Vec::new() } else { rows }
}

/// Lists the drafts that a filter lets through; an agent sees none.
pub fn drafts_matching(workspace: &Workspace, env: &Env, filter: &Filter) -> Vec<Row> {
    let of_others = filter.asks_for_turn() || filter.commit.is_some();
    if of_others || filter.tag.is_some() || filter.type_name.is_some() {
        return Vec::new();
    }
    let author = filter.author.as_ref().map(|author| author.to_lowercase());
    let passes = |row: &Row| {
        let Detail::Review(detail) = &row.detail else { return false };
        let by = detail.last_author.as_deref().unwrap_or_default().to_lowercase();
        filter.passes(row.status.as_deref(), row.updated_at)
            && author.as_ref().is_none_or(|author| by.contains(author))
    };
    let mut rows = visible_drafts(workspace, env);
    rows.retain(passes);
    retain(workspace, env, filter, &mut rows);
    branches::mark(workspace, env, &mut rows);
    rows
}

/// Returns the directory of the drafts.
pub(crate) fn dir(workspace: &Workspace, env: &Env) -> PathBuf {
    dir_of(env, &workspace.reviews.root)
}

/// Returns the directory of the drafts of a root, which may be gone.
pub(crate) fn dir_of(env: &Env, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    env.dirs.for_root(&root).state.join("drafts")
}

/// Lists the drafts that may be seen, in the order in which they were written.
///
/// An agent must not act on what a person has not submitted: inside of its environment there are only drafts of agents.
pub(crate) fn all(workspace: &Workspace, env: &Env) -> Vec<Draft> {
    let mut drafts = of_both_sides(workspace, env);
    if Actor::is_in_agent(env) {
        drafts.retain(|draft| draft.is_of_agent(workspace));
    }
    drafts
}

/// Lists the drafts that are submitted together: those of agents or those of persons, in the order in which they were
/// written.
pub(super) fn of_one_side(workspace: &Workspace, env: &Env) -> Vec<Draft> {
    let mut drafts = of_both_sides(workspace, env);
    let by_agent = Actor::find(workspace, env, None).agent;
    drafts.retain(|draft| draft.is_of_agent(workspace) == by_agent);
    drafts
}

/// Lists the drafts of agents and of persons.
pub(super) fn of_both_sides(workspace: &Workspace, env: &Env) -> Vec<Draft> {
    let Ok(entries) = dir(workspace, env).read_dir() else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut drafts: Vec<Draft> = paths.filter_map(|path| read(&workspace.reviews, &path)).collect();
    drafts.sort_by_key(|draft| (draft.doc.head().created_at, draft.path.clone()));
    drafts
}

fn read(reviews: &Reviews, path: &Path) -> Option<Draft> {
    path.extension().filter(|extension| *extension == "md")?;
    let bytes = skein_store::read(path).ok()?.bytes;
    let doc = ReviewDoc::parse(bytes, &stem(path), &reviews.store_path).0;
    Some(Draft { path: path.to_owned(), doc })
}

/// Takes the lock of the drafts, making their directory where it is missing.
pub(crate) fn open(workspace: &Workspace, env: &Env) -> Result<Guard, WriteError> {
    let dir = dir(workspace, env);
    ensure_dir(&*env.fs, &dir, 0o700)?;
    let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    clear_leftovers(env, &guard);
    Ok(guard)
}

/// Keeps threads aside.
pub(super) fn keep(
    workspace: &Workspace,
    env: &Env,
    threads: Vec<NewReview>,
) -> Result<Added, AddError> {
    may_create(workspace)?;
    let guard = open(workspace, env)?;
    let mut written = Vec::new();
    for mut thread in threads {
        loop {
            let path = dir(workspace, env).join(format!("{}.md", thread.id));
            let doc = thread.clone().into_doc(&workspace.reviews.store_path);
            match create_new(&*env.fs, &guard, &path, doc.to_bytes(), 0o600) {
                Ok(_) => {
                    written.push(added((workspace, env), &path, &doc, "drafted"));
                    break;
                }
                Err(CreateError::Exists { .. }) => thread.id = env.ids.next(),
                Err(error) => return Err(WriteError::from(error).into()),
            }
        }
    }
    let mut added = Added { threads: written, notes: Vec::new() };
    added.remember_branch(workspace, env);
    Ok(added)
}

//! Threads and drafts of removed worktrees.

use std::path::{Path, PathBuf};

use skein_format::review::ReviewDoc;
use skein_model::Filter;
use skein_model::view::ThreadRow;
use skein_workspace::branch_versions::BranchVersions;
use skein_workspace::{ReviewStore, Workspace};

use crate::drafts;
use crate::rows::review;
use skein_workspace::worktree_copy::{CopiedWorktree, copied_worktrees, thread_files};

/// A worktree that was removed or has lost its store, with its threads and drafts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedWorktree {
    /// Its former path.
    pub root: PathBuf,
    /// Whether the worktree still exists, and only its store or a part of it is missing.
    pub is_there: bool,
    /// Whether the store exists again, without its threads.
    pub has_store: bool,
    /// The branch that it had checked out.
    pub branch: String,
    /// The copies of its threads.
    pub threads: Vec<PathBuf>,
    /// Its drafts.
    pub drafts: Vec<PathBuf>,
}

impl RemovedWorktree {
    /// Returns the copies as a store, under a branch that says that the original is gone; none if it has no threads.
    pub fn copies(&self) -> Option<ReviewStore> {
        let dir = self.threads.first()?.parent()?.parent()?;
        let what = if self.is_there { "store removed" } else { "removed" };
        Some(ReviewStore {
            root: dir.parent()?.to_owned(),
            store_path: dir.file_name()?.to_str()?.to_owned(),
            exists: true,
            branch: Some(format!("{} ({what})", self.branch)),
        })
    }
}

/// Lists the threads of removed worktrees that match a filter, as far as their files decide.
///
/// If the store exists again, another program may have deleted the threads on purpose.
pub(crate) fn removed_rows(workspace: &Workspace, filter: &Filter) -> Vec<ThreadRow> {
    let mut rows = Vec::new();
    for removed in removed_worktrees(workspace).into_iter().filter(|one| !one.has_store) {
        let Some(store) = removed.copies() else { continue };
        let parts = (&store, &workspace.settings);
        for file in &removed.threads {
            let Ok(snapshot) = skein_store::read(file) else { continue };
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if review::passes(&snapshot.bytes, &name, filter, parts) {
                rows.push(review::summary_row(&snapshot.bytes, file, parts));
            }
        }
    }
    rows
}

/// Lists the removed worktrees that had threads or drafts, by path.
///
/// Includes those whose store was deleted, as by `git clean -x`, even if it was created again. A thread is left out if a store or a
/// branch has all of its comments.
pub fn removed_worktrees(workspace: &Workspace) -> Vec<RemovedWorktree> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let mut all: Vec<RemovedWorktree> = copied_worktrees(git)
        .into_iter()
        .map(|CopiedWorktree { dir, root, branch, worktree }| {
            let is_there = worktree.is_some();
            let store = worktree.map(|worktree| workspace.reviews_of(&worktree));
            let has_store =
                store.as_ref().is_some_and(|one| one.store().symlink_metadata().is_ok());
            let mut threads = thread_files(&dir.join("threads"));
            let stores: Vec<&ReviewStore> = store.iter().chain([&workspace.reviews]).collect();
            let mut branches = None;
            threads.retain(|copy| !is_kept(workspace, &stores, copy, &branch, &mut branches));
            // These drafts belong to a worktree that was created again at the same path.
            let is_back = root.join(".git").exists();
            let drafts = if is_back {
                Vec::new()
            } else {
                thread_files(&drafts::dir_of(&workspace.env, &root))
            };
            RemovedWorktree { root, is_there, has_store, branch, threads, drafts }
        })
        .filter(|one| !one.threads.is_empty() || !one.drafts.is_empty())
        .collect();
    all.sort_by(|a, b| (&a.root, &a.threads).cmp(&(&b.root, &b.threads)));
    all
}

/// Returns whether a store, or a branch of a repository that shares its threads, has all comments of a copy.
fn is_kept(
    workspace: &Workspace,
    stores: &[&ReviewStore],
    copy: &Path,
    branch: &str,
    branches: &mut Option<BranchVersions>,
) -> bool {
    let Ok(bytes) = skein_store::read(copy).map(|snapshot| snapshot.bytes) else { return false };
    let name = copy.file_name().unwrap_or_default();
    let has = |reviews: &&ReviewStore| {
        let there = reviews.threads().join(name);
        let there = there.is_file().then(|| skein_store::read(&there).ok()).flatten();
        there.is_some_and(|there| has_all(&there.bytes, &bytes))
    };
    if stores.iter().any(has) {
        return true;
    }
    let ReviewStore { store_path, .. } = &workspace.reviews;
    let path = format!("{}{store_path}/threads/{}", workspace.prefix(), name.to_string_lossy());
    workspace.reviews.is_shared()
        && branches
            .get_or_insert_with(|| BranchVersions::read(workspace, branch))
            .any(&path, &|there| has_all(there, &bytes))
}

/// Returns whether a version of a thread has all comments of another one.
fn has_all(there: &[u8], copy: &[u8]) -> bool {
    let comments = |bytes: &[u8]| -> Vec<(String, String)> {
        let doc = ReviewDoc::parse(bytes.to_vec(), "", "").0;
        doc.comments().into_iter().map(|one| (one.id, one.body)).collect()
    };
    let there = comments(there);
    comments(copy).iter().all(|one| there.contains(one))
}

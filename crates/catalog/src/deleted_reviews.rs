//! Lists review threads that were deleted and can be restored.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_workspace::{Env, ReviewStore, Workspace};

use crate::placement::Placer;
use crate::removed_reviews::{RemovedWorktree, removed_worktrees};
use crate::rows::review::place;

/// A thread in the trash.
#[derive(Clone, Debug, Serialize)]
pub struct Deleted {
    /// Its id.
    pub id: String,
    /// When it was deleted, as `20260123-143052`.
    pub deleted: String,
    /// The number of the command that deleted it, among those in the same second, from 1.
    pub run: u32,
    /// The location of its code, counted from 1; from its file, unless it was placed.
    pub at: String,
    /// The first line of its first comment.
    pub title: String,
    /// Whether it is restored as a draft.
    pub draft: bool,
    /// The removed worktree that it was in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_worktree: Option<RemovedFrom>,
    /// The file in the trash.
    #[serde(serialize_with = "skein_model::view::serialize_path")]
    pub file: PathBuf,
}

/// The removed worktree of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedFrom {
    /// Its former path.
    pub root: String,
    /// The branch that it had checked out.
    pub branch: String,
}

impl RemovedFrom {
    /// Returns whether a name is the branch, the directory name or the path.
    pub fn is_called(&self, name: &str) -> bool {
        let dir = Path::new(&self.root).file_name();
        self.branch == name || self.root == name || dir.is_some_and(|dir| dir == name)
    }
}

/// The kind of thing that a deleted thread is restored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Former {
    /// A thread of the store.
    Thread,
    /// An unsubmitted draft.
    Draft,
}

/// Returns the trash directory.
pub fn trash(env: &Env, reviews: &ReviewStore, former: Former) -> PathBuf {
    let name = match former {
        Former::Thread => "reviews",
        Former::Draft => "drafts",
    };
    env.root_dirs(&reviews.root).state.join("trash").join(name)
}

/// The parts of a file name in the trash: `20260123-143052-<id>.md`, or `20260123-143052.2-<id>.md` for the second command that deleted
/// something in that second.
pub struct TrashName {
    pub second: String,
    pub run: u32,
    pub(crate) id: String,
}

impl TrashName {
    pub fn parse(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?.strip_suffix(".md")?;
        let (date, rest) = name.split_once('-')?;
        let (time, id) = rest.split_once('-')?;
        // A second number distinguishes copies of one thread by two concurrent commands.
        let mut parts = time.split('.');
        let second = format!("{date}-{}", parts.next()?);
        let run = parts.next().map_or(Some(1), |run| run.parse().ok())?;
        Some(Self { second, run, id: id.to_owned() })
    }
}

/// Maximum number of deleted threads that are placed.
pub const MAX_PLACED: usize = 200;

/// Lists the threads in the trash, the last deleted first.
pub fn deleted(workspace: &Workspace) -> Vec<Deleted> {
    let mut all: Vec<Deleted> = Vec::new();
    for former in [Former::Thread, Former::Draft] {
        all.extend(trashed(workspace, &trash(&workspace.env, &workspace.reviews, former), former));
    }
    all.sort_by(|a, b| (&b.deleted, b.run, &a.id).cmp(&(&a.deleted, a.run, &b.id)));
    for worktree in removed_worktrees(workspace) {
        let of = |files: &[PathBuf], former: Former| -> Vec<Deleted> {
            files.iter().filter_map(|file| copied(workspace, file, former, &worktree)).collect()
        };
        all.extend(of(&worktree.threads, Former::Thread));
        all.extend(of(&worktree.drafts, Former::Draft));
        // Threads deleted before the worktree was removed.
        if worktree.root.symlink_metadata().is_err() {
            let reviews = ReviewStore { root: worktree.root.clone(), ..workspace.reviews.clone() };
            for former in [Former::Thread, Former::Draft] {
                all.extend(trashed(workspace, &trash(&workspace.env, &reviews, former), former));
            }
        }
    }
    all
}

/// Sets the location of each thread to that of its code; does nothing if there are too many threads.
pub fn place_deleted(workspace: &Workspace, all: &mut [Deleted]) {
    if all.len() > MAX_PLACED {
        return;
    }
    let mut placer = Placer::new(workspace, &workspace.reviews);
    for one in all {
        let Ok(snapshot) = skein_store::read(&one.file) else { continue };
        let doc = ReviewDoc::parse(snapshot.bytes, &one.id, &workspace.reviews.store_path).0;
        one.at = placer.place(&doc).map_or_else(|| one.at.clone(), |found| found.at());
    }
    placer.finish();
}

/// Lists the threads in a trash directory.
fn trashed(workspace: &Workspace, dir: &Path, former: Former) -> Vec<Deleted> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| one(workspace, entry.path(), former)).collect()
}

/// Describes a copied thread of a removed worktree.
fn copied(
    workspace: &Workspace,
    file: &Path,
    former: Former,
    worktree: &RemovedWorktree,
) -> Option<Deleted> {
    let removed_worktree = Some(RemovedFrom {
        root: worktree.root.display().to_string(),
        branch: worktree.branch.clone(),
    });
    let found = describe(workspace, file.to_owned(), &stem(file), former)?;
    Some(Deleted { removed_worktree, ..found })
}

fn one(workspace: &Workspace, file: PathBuf, former: Former) -> Option<Deleted> {
    let TrashName { second, run, id } = TrashName::parse(&file)?;
    let found = describe(workspace, file, &id, former)?;
    Some(Deleted { deleted: second, run, ..found })
}

fn describe(workspace: &Workspace, file: PathBuf, id: &str, former: Former) -> Option<Deleted> {
    let bytes = skein_store::read(&file).ok()?.bytes;
    let doc = ReviewDoc::parse(bytes, id, &workspace.reviews.store_path).0;
    let title =
        doc.comments().first().and_then(|first| first.body.lines().next().map(str::to_owned));
    let path = doc.head().path_text.clone().unwrap_or_default();
    Some(Deleted {
        id: id.to_owned(),
        deleted: String::new(),
        run: 1,
        at: place(&path, doc.head().range),
        title: title.unwrap_or_default(),
        draft: former == Former::Draft,
        removed_worktree: None,
        file,
    })
}

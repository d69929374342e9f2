//! Checkpoints of linked worktrees that were removed: those that are in no store and in no commit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_format::checkpoint::{is_thread_file, merge};
use skein_format::id::CheckpointId;
use skein_git::{CommitId, Objects, Repo};

use super::cleanup;
use crate::discover::{ARCHIVE, Checkpoints, Workspace};
use crate::env::Env;
use crate::find::by_id;
use crate::lexical::stem;
use crate::moved::entries;
use crate::review::{CopiedWorktree, checkpoint_copies, copied_worktrees, store_files};

/// Maximum number of branches in which a checkpoint is looked for.
const MAX_BRANCHES: usize = 200;

/// The checkpoints of a worktree that are nowhere but among the copies.
pub(crate) struct RemovedCheckpoints {
    /// The worktree.
    pub(crate) from: CopiedWorktree,
    /// Whether the worktree is there with a store, from which they vanished.
    pub(crate) has_store: bool,
    /// The directory of the copies.
    pub(crate) dir: PathBuf,
    /// The copies, below that directory.
    pub(crate) files: Vec<PathBuf>,
}

/// Lists the checkpoints of removed worktrees that are nowhere else, by where the worktrees were.
///
/// Only files whose names are wanted are looked for.
pub(crate) fn removed_checkpoints(
    workspace: &Workspace,
    env: &Env,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<RemovedCheckpoints> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let removed = |from: CopiedWorktree| {
        let dir = checkpoint_copies(&from.dir, &workspace.checkpoints_below());
        let own = from.worktree.as_ref().and_then(|one| workspace.checkpoints_in(one));
        let mut files = copied_checkpoints(&dir);
        files.retain(|file| is_wanted(&stem(file)));
        let trashed = trashed(workspace, env, &from);
        files.retain(|file| !trashed.contains(&stem(file)));
        let stores: Vec<&Checkpoints> = own.iter().chain([&workspace.checkpoints]).collect();
        let mut branches = None;
        files.retain(|file| {
            let Ok(copy) = skein_store::read(&dir.join(file)) else { return false };
            let versions = stores.iter().filter_map(|store| version(store, &stem(file)));
            let versions: Vec<Vec<u8>> = versions.collect();
            if versions.contains(&copy.bytes) {
                return false;
            }
            let branches = branches.get_or_insert_with(|| Branches::read(workspace, &from.branch));
            !branches.keep(&branches_path(workspace, file), &stem(file), &copy.bytes, &versions)
        });
        RemovedCheckpoints { from, has_store: own.is_some(), dir, files }
    };
    let mut all: Vec<RemovedCheckpoints> = copied_worktrees(git).into_iter().map(removed).collect();
    all.retain(|one| !one.files.is_empty());
    all.sort_by(|a, b| (&a.from.root, &a.files).cmp(&(&b.from.root, &b.files)));
    all
}

/// Returns whether an id is that of an auto-checkpoint.
pub(crate) fn looks_automatic(id: &str) -> bool {
    CheckpointId::parse(id).is_some_and(|id| id.looks_automatic())
}

/// Lists the checkpoints of a directory of copies; one that was put away is listed only where it is in the archive.
fn copied_checkpoints(dir: &Path) -> Vec<PathBuf> {
    let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = store_files(dir);
    files.retain(|file| is_thread_file(&name(file)));
    let is_archived = |file: &&PathBuf| file.starts_with(ARCHIVE);
    let archived: BTreeSet<String> =
        files.iter().filter(is_archived).map(|file| name(file)).collect();
    files.retain(|file| file.starts_with(ARCHIVE) || !archived.contains(&name(file)));
    files.sort();
    files
}

/// Returns the ids of the checkpoints that were moved to the trash, here or in the worktree.
fn trashed(workspace: &Workspace, env: &Env, from: &CopiedWorktree) -> BTreeSet<String> {
    // An empty path behind it would make another name of the directory.
    let root: PathBuf =
        from.root.components().chain(workspace.checkpoints_below().components()).collect();
    let there = Workspace { checkpoints: Checkpoints::at(root), ..workspace.clone() };
    let names = [workspace, &there].map(|one| entries(&cleanup::trash(one, env)));
    let id = |name: String| Some(name.split_once("-T-")?.1.strip_suffix(".json")?.to_owned());
    names.into_iter().flatten().filter_map(id).map(|rest| format!("T-{rest}")).collect()
}

/// Reads what a store says under an id, also where it was put away.
fn version(store: &Checkpoints, id: &str) -> Option<Vec<u8>> {
    let (_, path) = by_id::exact(store, id)?;
    Some(skein_store::read(&path).ok()?.bytes)
}

/// Returns the path of a checkpoint in the repository.
pub(super) fn branches_path(workspace: &Workspace, file: &Path) -> String {
    let root = Checkpoints::at(workspace.checkpoints_below());
    root.threads().join(file).to_string_lossy().into_owned()
}

/// What the branches of the repository have.
pub(super) struct Branches {
    objects: Option<Objects>,
    /// The last commits: of the branch of the worktree, of what is checked out here, and of the other branches.
    tips: Vec<CommitId>,
    /// The last commit of the branch of the worktree.
    tip: Option<CommitId>,
    /// The commit that this branch and that of the worktree have in common.
    base: Option<CommitId>,
}

impl Branches {
    /// Finds the branches; none where git cannot be asked.
    pub(super) fn read(workspace: &Workspace, branch: &str) -> Self {
        let none = Self { objects: None, tips: Vec::new(), tip: None, base: None };
        let Some(repo) = workspace.git.as_ref().and_then(Repo::new) else { return none };
        let all =
            ["refs/heads", "refs/remotes"].map(|prefix| repo.refs(prefix).unwrap_or_default());
        let mut all = all.concat();
        let name = format!("refs/heads/{branch}");
        // The order of the others stays.
        all.sort_by_key(|one| one.name != name);
        let tip = all.first().filter(|first| first.name == name);
        let tip = tip.and_then(|first| CommitId::parse(first.id.as_str()));
        let head = repo.head_commit().ok().flatten();
        let base = tip.as_ref().zip(head.as_ref());
        let base = base.and_then(|(tip, head)| repo.merge_base(head, tip).ok()?);
        let others = all.iter().take(MAX_BRANCHES);
        let others = others.filter_map(|one| CommitId::parse(one.id.as_str()));
        let mut tips: Vec<CommitId> = Vec::new();
        for commit in tip.iter().cloned().chain(head).chain(others) {
            if !tips.contains(&commit) {
                tips.push(commit);
            }
        }
        Self { objects: Objects::start(&repo).ok(), tips, tip, base }
    }

    /// Returns whether a version in a store, or on a branch, says all that a copy says.
    fn keep(&mut self, path: &str, stem: &str, copy: &[u8], versions: &[Vec<u8>]) -> bool {
        let base = self.base(path);
        if versions.iter().any(|there| says_all(base.as_deref(), there, copy, stem)) {
            return true;
        }
        let tips = self.tips.clone();
        tips.iter().any(|tip| {
            let committed = self.blob(Some(tip), path);
            committed.is_some_and(|there| says_all(base.as_deref(), &there, copy, stem))
        })
    }

    /// Reads a checkpoint at the commit that this branch and that of the worktree have in common.
    pub(super) fn base(&mut self, path: &str) -> Option<Vec<u8>> {
        let base = self.base.clone();
        self.blob(base.as_ref(), path)
    }

    /// Returns whether the branch of the worktree has a version of a checkpoint, and is not merged here.
    pub(super) fn has_other(&mut self, path: &str) -> bool {
        let tip = self.tip.clone().filter(|tip| self.base.as_ref() != Some(tip));
        self.blob(tip.as_ref(), path).is_some()
    }

    fn blob(&mut self, commit: Option<&CommitId>, path: &str) -> Option<Vec<u8>> {
        // What git cannot tell counts as not committed: it is offered once more, which loses nothing.
        self.objects.as_mut()?.blob(commit?, path).ok()?
    }
}

/// Returns whether a version says all that a copy says; git may have changed the ends of the lines.
fn says_all(base: Option<&[u8]>, there: &[u8], copy: &[u8], stem: &str) -> bool {
    let plain =
        |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<_>>();
    plain(there) == plain(copy)
        || merge(base, there, copy, stem).is_some_and(|merged| merged == there)
}

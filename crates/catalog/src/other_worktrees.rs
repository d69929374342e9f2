//! Open threads and work in the other worktrees of the repository.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_git::Worktree;
use skein_model::Filter;
use skein_model::sanitize::one_line;
use skein_workspace::{CheckpointStore, Workspace};

use crate::other_stores::{OwnCheckpoints, other_stores};
use crate::rows::{self, Depth};
use crate::thread_names::review_names;

/// Another worktree of the repository with open threads or work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherWorktree {
    /// Its directory.
    pub root: String,
    /// The branch that is checked out there.
    pub branch: String,
    /// The number of open threads that this workspace does not have.
    pub open: usize,
    /// The number of open handoffs, and checkpoints with open steps, in its own store that this workspace does not have.
    pub open_work: usize,
}

impl OtherWorktree {
    /// Describes them in one line: `2 open threads and 1 checkpoint to resume in lantern-fix (fix/x)`.
    pub fn summary(&self) -> String {
        let counts = [(self.open, "open thread"), (self.open_work, "checkpoint")];
        let counts = counts.iter().filter(|(number, _)| *number > 0);
        let words = |(number, what): &(usize, &str)| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let counts = counts.map(words).collect::<Vec<_>>().join(" and ");
        let to_resume = if self.open_work > 0 { " to resume" } else { "" };
        let name = Path::new(&self.root).file_name().unwrap_or_default().to_string_lossy();
        format!("{counts}{to_resume} in {} ({})", one_line(&name), one_line(&self.branch))
    }

    /// Returns the command that lists the open threads and work in these worktrees.
    pub fn command(all: &[Self]) -> &'static str {
        let has = |open: fn(&Self) -> usize| all.iter().any(|one| open(one) > 0);
        match (has(|one| one.open), has(|one| one.open_work)) {
            (true, false) => "skein list review --all-worktrees status:open",
            (false, _) => "skein checkpoint list --all-worktrees",
            (true, true) => "skein list --all-worktrees",
        }
    }
}

/// Lists the other worktrees of the repository that have open review threads, or open work in their own stores.
pub fn other_worktrees(workspace: &Workspace) -> Vec<OtherWorktree> {
    let filter = Filter { status: Some("open".to_owned()), ..Filter::default() };
    let mut others = workspace.reviews_of_all_worktrees();
    others.retain(|one| one.exists && one.root != workspace.reviews.root);
    // Each worktree has its own checkout of a shared store.
    let own: HashSet<String> = if workspace.reviews.is_shared() {
        review_names(&workspace.reviews).into_iter().map(|named| named.id).collect()
    } else {
        HashSet::new()
    };
    let counted = others.into_iter().map(|reviews| {
        let rows = rows::review::rows(&reviews, &filter, &workspace.settings, Depth::Summary).rows;
        OtherWorktree {
            root: reviews.root.display().to_string(),
            branch: reviews.branch.unwrap_or_default(),
            open: rows.iter().filter(|row| row.usable && !own.contains(&row.id)).count(),
            open_work: 0,
        }
    });
    let mut all: Vec<OtherWorktree> = counted.collect();
    let own = OwnCheckpoints::list(workspace);
    for store in other_stores(workspace) {
        let (root, branch) = (store.root.display().to_string(), store.branch.clone());
        let open_work = store.open_work(&own, workspace.env.clock.now(), None).ids.len();
        match all.iter_mut().find(|one| one.root == root) {
            Some(one) => one.open_work = open_work,
            None => all.push(OtherWorktree { root, branch, open: 0, open_work }),
        }
    }
    all.retain(|one| one.open + one.open_work > 0);
    all
}

/// Returns the directories of threads of other worktrees, existing or not.
pub fn thread_dirs(workspace: &Workspace) -> Vec<PathBuf> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let own = [workspace.reviews.threads(), workspace.checkpoints.threads()];
    let below = workspace.checkpoints_below();
    let checkpoints = |one: &Worktree| CheckpointStore::at(one.top.join(&below)).threads();
    let worktrees = git.worktrees();
    let dirs =
        worktrees.iter().flat_map(|one| [workspace.reviews_of(one).threads(), checkpoints(one)]);
    dirs.filter(|dir| !own.contains(dir)).collect()
}

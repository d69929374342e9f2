//! Versions of a file on the branches of the repository.

use skein_git::{CommitId, Objects, Repo};

use crate::layout::Workspace;

/// Maximum number of branches that are searched.
const MAX_BRANCHES: usize = 200;

/// Reads files from the branches of the repository.
pub struct BranchVersions {
    objects: Option<Objects>,
    /// The tips: of the branch of the worktree, HEAD, and the other branches.
    tips: Vec<CommitId>,
    /// The tip of the branch of the worktree.
    tip: Option<CommitId>,
    /// The merge base of HEAD and the branch of the worktree.
    base: Option<CommitId>,
}

impl BranchVersions {
    /// Finds the branches; none if git cannot be run.
    pub fn read(workspace: &Workspace, branch: &str) -> Self {
        let none = Self { objects: None, tips: Vec::new(), tip: None, base: None };
        let Some(repo) = workspace.git.as_ref().and_then(Repo::new) else { return none };
        let all =
            ["refs/heads", "refs/remotes"].map(|prefix| repo.refs(prefix).unwrap_or_default());
        let mut all = all.concat();
        let name = format!("refs/heads/{branch}");
        // The sort is stable, so the others keep their order.
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

    /// Returns whether one of the branches has a version of a file that passes.
    pub fn any(&mut self, path: &str, passes: &dyn Fn(&[u8]) -> bool) -> bool {
        let tips = self.tips.clone();
        tips.iter().any(|tip| self.blob(Some(tip), path).is_some_and(|there| passes(&there)))
    }

    /// Reads a file at the merge base.
    pub fn base(&mut self, path: &str) -> Option<Vec<u8>> {
        let base = self.base.clone();
        self.blob(base.as_ref(), path)
    }

    /// Returns whether the branch of the worktree has a version of a file, and is not merged into HEAD.
    pub fn has_other(&mut self, path: &str) -> bool {
        let tip = self.tip.clone().filter(|tip| self.base.as_ref() != Some(tip));
        self.blob(tip.as_ref(), path).is_some()
    }

    fn blob(&mut self, commit: Option<&CommitId>, path: &str) -> Option<Vec<u8>> {
        // If git fails, the file counts as not committed: it is only offered again.
        self.objects.as_mut()?.blob(commit?, path).ok()?
    }
}

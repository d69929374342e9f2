//! Versions of a file on the branches of the repository.

use skein_git::{CommitId, Objects, Repo};

use crate::layout::Workspace;

/// Maximum number of branches in which a file is looked for.
const MAX_BRANCHES: usize = 200;

/// What the branches of the repository have.
pub struct BranchVersions {
    objects: Option<Objects>,
    /// The last commits: of the branch of the worktree, of what is checked out here, and of the other branches.
    tips: Vec<CommitId>,
    /// The last commit of the branch of the worktree.
    tip: Option<CommitId>,
    /// The commit that this branch and that of the worktree have in common.
    base: Option<CommitId>,
}

impl BranchVersions {
    /// Finds the branches; none where git cannot be asked.
    pub fn read(workspace: &Workspace, branch: &str) -> Self {
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

    /// Returns whether one of the branches has a version of a file that passes.
    pub fn any(&mut self, path: &str, passes: &dyn Fn(&[u8]) -> bool) -> bool {
        let tips = self.tips.clone();
        tips.iter().any(|tip| self.blob(Some(tip), path).is_some_and(|there| passes(&there)))
    }

    /// Reads a file at the commit that this branch and that of the worktree have in common.
    pub fn base(&mut self, path: &str) -> Option<Vec<u8>> {
        let base = self.base.clone();
        self.blob(base.as_ref(), path)
    }

    /// Returns whether the branch of the worktree has a version of a file, and is not merged here.
    pub fn has_other(&mut self, path: &str) -> bool {
        let tip = self.tip.clone().filter(|tip| self.base.as_ref() != Some(tip));
        self.blob(tip.as_ref(), path).is_some()
    }

    fn blob(&mut self, commit: Option<&CommitId>, path: &str) -> Option<Vec<u8>> {
        // If git cannot be asked, the file counts as not committed: it is offered again, which loses nothing.
        self.objects.as_mut()?.blob(commit?, path).ok()?
    }
}

//! Lists the worktrees of a repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git_dir::read_path;
use crate::head::Head;
use crate::repo_dirs::RepoDirs;

/// A worktree of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The top directory, canonical.
    pub top: PathBuf,
    /// Its private part of the git directory.
    pub git_dir: PathBuf,
    /// What is checked out there.
    pub head: Head,
    /// Whether it is the main checkout.
    pub is_main: bool,
}

impl RepoDirs {
    /// Returns every worktree that exists: the main one first, the linked ones sorted by path.
    ///
    /// A worktree whose directory is missing, or whose registration cannot be read, is left out.
    pub fn worktrees(&self) -> Vec<Worktree> {
        let mut linked = self.linked_worktrees();
        linked.sort_by(|a, b| a.top.cmp(&b.top));
        let main = self.main_top().map(|top| Worktree {
            top,
            git_dir: self.common_dir.clone(),
            head: Head::read(&self.common_dir),
            is_main: true,
        });
        main.into_iter().chain(linked).collect()
    }

    fn linked_worktrees(&self) -> Vec<Worktree> {
        let Ok(entries) = fs::read_dir(self.common_dir.join("worktrees")) else {
            return Vec::new();
        };
        entries.filter_map(|entry| linked_worktree(&entry.ok()?.path())).collect()
    }
}

/// Returns the worktree whose private part of the repository is `git_dir`.
fn linked_worktree(git_dir: &Path) -> Option<Worktree> {
    let dot_git = git_dir.join(read_path(&git_dir.join("gitdir"))?);
    // Another directory at the path of a removed worktree has no such file.
    if !dot_git.is_file() {
        return None;
    }
    Some(Worktree {
        top: dot_git.parent()?.canonicalize().ok()?,
        git_dir: git_dir.to_owned(),
        head: Head::read(git_dir),
        is_main: false,
    })
}

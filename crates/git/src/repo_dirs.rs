//! The directories of a repository.

use std::path::{Path, PathBuf};

use crate::config::Core;
use crate::git_dir::{GitDir, read_path};

/// The directories of one repository, as seen from one of its worktrees.
///
/// Every path is canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoDirs {
    /// The top of the worktree; `None` in a bare repository and inside a `.git` directory.
    pub top: Option<PathBuf>,
    /// The directory private to this worktree: `HEAD`, the index.
    pub git_dir: PathBuf,
    /// The directory shared by all worktrees: objects, refs, configuration.
    ///
    /// The same as `git_dir` in the main checkout.
    pub common_dir: PathBuf,
}

impl RepoDirs {
    pub(crate) fn new(top: Option<&Path>, git_dir: GitDir) -> Self {
        Self { top: top.map(Path::to_owned), git_dir: git_dir.path, common_dir: git_dir.common }
    }

    /// Returns the top of the main checkout, for any worktree.
    ///
    /// The main checkout of a submodule is inside the outer repository. Returns `None` if the main
    /// repository is bare, or has its git directory elsewhere and does not configure
    /// `core.worktree`.
    pub fn main_top(&self) -> Option<PathBuf> {
        if self.is_main() && self.top.is_some() {
            return self.top.clone();
        }
        let core = Core::read(&self.common_dir);
        if let Some(worktree) = core.worktree {
            return self.common_dir.join(worktree).canonicalize().ok();
        }
        if core.bare || self.common_dir.file_name()? != ".git" {
            return None;
        }
        self.common_dir.parent().map(Path::to_owned)
    }

    /// Returns the top of the main checkout if it lists this worktree, else the top of this
    /// worktree.
    ///
    /// A linked worktree belongs to a main checkout only if the main repository lists it: a `.git`
    /// file that came with files of another user can point to any repository. `core.worktree` is
    /// ignored.
    pub fn vouched_top(&self) -> Option<PathBuf> {
        if self.is_main() && self.top.is_some() {
            return self.top.clone();
        }
        let belongs = self.is_main() || self.is_registered();
        let main = belongs && self.common_dir.file_name()? == ".git";
        let main = main && !Core::read(&self.common_dir).bare;
        let around = self.common_dir.parent().filter(|_| main).map(Path::to_owned);
        around.or_else(|| self.top.clone())
    }

    /// Returns whether the repository lists this worktree as one of its linked worktrees.
    pub fn is_registered(&self) -> bool {
        let is_inside = self.git_dir.parent() == Some(&self.common_dir.join("worktrees"));
        let named = read_path(&self.git_dir.join("gitdir"));
        let named = named.map(|dot_git| self.git_dir.join(dot_git));
        let folder = named.filter(|dot_git| dot_git.file_name().is_some_and(|name| name == ".git"));
        let folder = folder.and_then(|dot_git| dot_git.parent()?.canonicalize().ok());
        is_inside && folder.is_some() && folder == self.top
    }

    /// Returns the file with the ignore patterns of this clone.
    ///
    /// Neither the file nor its folder needs to exist.
    pub fn exclude_file(&self) -> PathBuf {
        self.common_dir.join("info").join("exclude")
    }

    /// Returns whether this is the main checkout.
    pub fn is_main(&self) -> bool {
        self.git_dir == self.common_dir
    }
}

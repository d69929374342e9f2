//! Finds submodules, and whether their files differ.
//!
//! Git would start another git in each submodule, without the settings of [`Repo`] that keep an untrusted repository from running
//! programs. Each submodule is therefore asked as a repository of its own.

use std::path::{Component, Path};

use crate::command::GitArg;
use crate::repo::Repo;
use crate::repo_dirs::RepoDirs;
use crate::run::{RunError, split, text};

/// The file that names the submodules.
const FILE: &str = ".gitmodules";
/// Maximum number of submodules that are looked at.
const MAX_SUBMODULES: usize = 100;
/// Maximum depth of submodules inside submodules.
const MAX_DEPTH: usize = 4;

/// A submodule that is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submodule {
    /// Its path from the top of the worktree around it.
    pub path: String,
    /// Its repository.
    pub dirs: RepoDirs,
}

impl Repo {
    /// Returns the submodules that are checked out, sorted by path.
    ///
    /// A path that leads out of the worktree is ignored.
    pub fn submodules(&self) -> Result<Vec<Submodule>, RunError> {
        let file = self.top().join(FILE);
        if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            return Ok(Vec::new());
        }
        let mut command = self.git_with(["config", "-z"]);
        command.arg(GitArg::option("--file", file));
        command.args(["--get-regexp", r"^submodule\..*\.path$"]);
        // Without a match, git answers no.
        let listed = self.answer(command)?.unwrap_or_default();
        let mut paths: Vec<String> = split(&listed)
            .filter_map(|entry| Some(text(entry).split_once('\n')?.1.to_owned()))
            .collect();
        paths.sort();
        paths.dedup();
        paths.truncate(MAX_SUBMODULES);
        let submodule = |path: String| {
            let dirs = self.submodule_dirs(&path)?;
            Some(Submodule { path, dirs })
        };
        Ok(paths.into_iter().filter_map(submodule).collect())
    }

    /// Returns the paths of the submodules whose files differ from what they have checked out, sorted.
    ///
    /// Untracked files count, and so do changes in submodules inside them. That another commit is checked out than the one that the
    /// outer repository names is a change of the outer one.
    pub fn changed_submodules(&self) -> Result<Vec<String>, RunError> {
        self.changed_submodules_to(MAX_DEPTH)
    }

    pub(crate) fn changed_submodules_to(&self, depth: usize) -> Result<Vec<String>, RunError> {
        let mut changed = Vec::new();
        if depth == 0 {
            return Ok(changed);
        }
        for submodule in self.submodules()? {
            let Some(repo) = Self::new(&submodule.dirs) else { continue };
            let repo = match self.deadline() {
                Some(moment) => repo.until(moment),
                None => repo,
            };
            if repo.has_changed_files(&[])? || !repo.changed_submodules_to(depth - 1)?.is_empty() {
                changed.push(submodule.path);
            }
        }
        Ok(changed)
    }

    fn submodule_dirs(&self, path: &str) -> Option<RepoDirs> {
        let is_plain = !path.is_empty()
            && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain {
            return None;
        }
        let top = self.top().canonicalize().ok()?.join(path);
        let dirs = RepoDirs::discover(&top).ok()??;
        // Neither the repository around a directory that is not checked out, nor one behind a symbolic link.
        (dirs.top.as_ref() == Some(&top)).then_some(dirs)
    }
}

//! Finds the repository around a directory.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::config::Core;
use crate::git_dir::{GitDir, parse_path};
use crate::repo_dirs::RepoDirs;

/// Why discovery failed.
///
/// A caller that does not need git may treat this as "no repository".
#[derive(Debug, Error)]
pub enum DiscoverError {
    /// The directory to start from cannot be resolved.
    #[error("cannot resolve the directory: {}", path.display())]
    Start { path: PathBuf, source: io::Error },
    /// A `.git` entry cannot be read.
    #[error("cannot read: {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A `.git` file has no `gitdir:` line.
    #[error("expected a line `gitdir: <path>` in the file: {}", path.display())]
    NoGitDir { path: PathBuf },
    /// A `.git` file points to something that is not a repository.
    #[error("no git repository at {}, which is named by the file: {}", git_dir.display(), path.display())]
    Dangling { path: PathBuf, git_dir: PathBuf },
}

impl DiscoverError {
    /// Returns the file or directory that caused the error.
    pub fn path(&self) -> &Path {
        match self {
            Self::Start { path, .. }
            | Self::Read { path, .. }
            | Self::NoGitDir { path }
            | Self::Dangling { path, .. } => path,
        }
    }
}

impl RepoDirs {
    /// Returns the repository that `start` belongs to, if there is one.
    ///
    /// Symbolic links in `start` are resolved, and `start` and its ancestors are searched, nearest
    /// first. As in git, a `.git` *directory* that is not a repository is skipped, while a `.git`
    /// *file* with a dangling path is an error: a repository further up is a different one.
    pub fn discover(start: &Path) -> Result<Option<Self>, DiscoverError> {
        let start = start
            .canonicalize()
            .map_err(|source| DiscoverError::Start { path: start.to_owned(), source })?;
        for dir in start.ancestors() {
            if let Some(layout) = layout_at(dir)? {
                return Ok(Some(layout));
            }
        }
        Ok(None)
    }
}

/// Returns the repository whose worktree or bare directory is exactly `dir`.
fn layout_at(dir: &Path) -> Result<Option<RepoDirs>, DiscoverError> {
    let dot_git = dir.join(".git");
    let found = match fs::metadata(&dot_git) {
        Ok(entry) if entry.is_file() => Some(follow(dir, &dot_git)?),
        Ok(_) => GitDir::open(&dot_git).map(|git_dir| checkout(dir, git_dir)),
        Err(error) if is_absent(&error) => None,
        Err(source) => {
            return Err(DiscoverError::Read { path: dot_git, source });
        }
    };
    Ok(found.or_else(|| GitDir::open(dir).map(|git_dir| RepoDirs::new(None, git_dir))))
}

/// Returns the repository that the `.git` file of a linked worktree or a submodule names.
fn follow(dir: &Path, dot_git: &Path) -> Result<RepoDirs, DiscoverError> {
    let content = fs::read(dot_git)
        .map_err(|source| DiscoverError::Read { path: dot_git.to_owned(), source })?;
    let named = content
        .strip_prefix(b"gitdir:")
        .and_then(parse_path)
        .ok_or_else(|| DiscoverError::NoGitDir { path: dot_git.to_owned() })?;
    let named = dir.join(named);
    match GitDir::open(&named) {
        Some(git_dir) => Ok(RepoDirs::new(Some(dir), git_dir)),
        None => Err(DiscoverError::Dangling { path: dot_git.to_owned(), git_dir: named }),
    }
}

/// Returns the repository of the `.git` directory in `dir`.
///
/// It may be a bare repository: some people keep one there and work only in linked worktrees.
fn checkout(dir: &Path, git_dir: GitDir) -> RepoDirs {
    let bare = Core::read(&git_dir.common).bare;
    RepoDirs::new((!bare).then_some(dir), git_dir)
}

/// Returns whether an error means that the entry does not exist.
///
/// If `start` is a file, looking up a name below it fails with "not a directory".
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

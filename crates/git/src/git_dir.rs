//! Recognises a git directory.

use std::path::{Path, PathBuf};

use crate::path_file;

/// A directory that holds a repository, or a linked worktree's share of one.
pub(crate) struct GitDir {
    /// The directory itself, canonical.
    pub(crate) path: PathBuf,
    /// The directory that it shares with the other worktrees, canonical.
    pub(crate) common: PathBuf,
}

impl GitDir {
    /// Returns `path` as a git directory when git itself would take it for one.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        // `HEAD` may be a symbolic link to a branch that has no commit, hence dangling.
        path.join("HEAD").symlink_metadata().ok()?;
        let common = match path_file::read(&path.join("commondir")) {
            Some(common) => path.join(common).canonicalize().ok()?,
            None => path.clone(),
        };
        let is_repository = common.join("objects").is_dir() && common.join("refs").is_dir();
        is_repository.then_some(Self { path, common })
    }
}

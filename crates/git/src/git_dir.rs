//! Recognises a git directory, and reads the small files in which git stores one path.

use std::fs;
use std::path::{Path, PathBuf};

use crate::platform::path_from_bytes;

/// A directory that contains a repository, or the private part of a linked worktree.
pub(crate) struct GitDir {
    /// The directory itself, canonical.
    pub(crate) path: PathBuf,
    /// The directory that it shares with the other worktrees, canonical.
    pub(crate) common: PathBuf,
}

impl GitDir {
    /// Returns `path` as a git directory if git would accept it as one.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        // `HEAD` may be a symbolic link to a branch that has no commit, and is then dangling.
        path.join("HEAD").symlink_metadata().ok()?;
        let common = match read_path(&path.join("commondir")) {
            Some(common) => path.join(common).canonicalize().ok()?,
            None => path.clone(),
        };
        let is_repository = common.join("objects").is_dir() && common.join("refs").is_dir();
        is_repository.then_some(Self { path, common })
    }
}

/// Returns the path that `file` contains; `None` when there is no such file or it is empty.
pub(crate) fn read_path(file: &Path) -> Option<PathBuf> {
    parse_path(&fs::read(file).ok()?)
}

/// Returns the path in `content`, without leading whitespace and without the line ending.
pub(crate) fn parse_path(content: &[u8]) -> Option<PathBuf> {
    let mut path = content.trim_ascii_start();
    while let [head @ .., b'\n' | b'\r'] = path {
        path = head;
    }
    (!path.is_empty()).then(|| path_from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], expected: Option<&str>) {
        assert_eq!(parse_path(content), expected.map(PathBuf::from));
    }

    #[test]
    fn a_path_ends_where_its_line_ends() {
        check(b" ../.git/worktrees/a\n", Some("../.git/worktrees/a"));
        check(b"/a b/.git\r\n", Some("/a b/.git"));
        check(b"/trailing blank \n", Some("/trailing blank "));
    }

    #[test]
    fn blank_content_has_no_path() {
        check(b"", None);
        check(b" \n", None);
    }
}

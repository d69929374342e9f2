//! Files that git does not know.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::path_file;
use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, feed};

/// A path from the top of the worktree, as bytes.
pub(crate) type RawPath = Vec<u8>;

impl Repo {
    /// Returns the files that are neither in the index nor ignored.
    ///
    /// A repository inside of the worktree is left out, with all its files.
    pub(crate) fn untracked(
        &self,
        paths: &[String],
        exclude: &[String],
    ) -> Result<Vec<RawPath>, RunError> {
        let mut command = self.git();
        command
            .args(["ls-files", "-z", "--others", "--exclude-standard", "--"])
            .args(pathspecs(paths, exclude));
        Ok(split(&self.finish(command)?).filter(|path| !path.ends_with(b"/")).collect())
    }

    /// Returns how many bytes a file has, 0 when it is gone.
    pub(crate) fn size(&self, path: &[u8]) -> u64 {
        fs::symlink_metadata(self.raw_path(path)).map_or(0, |entry| entry.len())
    }

    /// Puts files as they are on disk into the index that `command` sees, or takes them out of it
    /// when they are gone.
    pub(crate) fn record(&self, mut command: Command, files: &[RawPath]) -> Result<(), RunError> {
        if files.is_empty() {
            return Ok(());
        }
        command.args(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]);
        feed(command, self.top(), &joined(files))?;
        Ok(())
    }

    fn raw_path(&self, path: &[u8]) -> PathBuf {
        self.top().join(path_file::from_bytes(path))
    }
}

/// Returns the paths in what a command prints with `-z`.
pub(crate) fn split(stdout: &[u8]) -> impl Iterator<Item = RawPath> {
    stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec)
}

/// Returns paths as a command reads them with `-z`.
pub(crate) fn joined<'a>(paths: impl IntoIterator<Item = &'a RawPath>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| path.iter().copied().chain([0])).collect()
}

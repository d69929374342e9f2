//! Files that git does not know.

use std::fs;
use std::process::Command;

use crate::pathspec::pathspecs;
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::{RunError, feed, split};

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
        let args = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
        let stdout = self.output(&args, &pathspecs(paths, exclude))?;
        let files = split(&stdout).filter(|path| !path.ends_with(b"/"));
        Ok(files.map(<[u8]>::to_vec).collect())
    }

    /// Returns how many bytes a file has, 0 when it is gone.
    pub(crate) fn size(&self, path: &[u8]) -> u64 {
        let path = self.top().join(path_from_bytes(path));
        fs::symlink_metadata(path).map_or(0, |entry| entry.len())
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
}

/// Returns paths as a command reads them with `-z`.
pub(crate) fn joined<'a>(paths: impl IntoIterator<Item = &'a RawPath>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| path.iter().copied().chain([0])).collect()
}

//! Records the files of a worktree as a tree.

use std::collections::BTreeSet;
use std::fs;

use crate::command::GitCommand;
use crate::object_id::ObjectId;
use crate::pathspec::{folders, pathspecs};
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::{RunError, feed, split};
use crate::scratch::TempIndex;

impl Repo {
    /// Records the files on disk as a tree in the repository of the submissions, and returns its
    /// id.
    pub fn snapshot(&self, exclude: &[String]) -> Result<ObjectId, RunError> {
        self.submissions().snapshot(exclude)
    }

    /// Records the files on disk as a tree, and returns its id.
    ///
    /// The tree contains the tracked files and the untracked ones that are not ignored, except
    /// paths at or below one of `exclude`. The user's index and files do not change, so several
    /// snapshots can be taken at the same time. Objects that the repository lacks are written to
    /// the folder of `scratch`.
    pub(crate) fn snapshot_in(
        &self,
        scratch: &TempIndex,
        exclude: &[String],
    ) -> Result<ObjectId, RunError> {
        let filters = self.filters()?;
        let git = || filters.guard(scratch.isolate(self.git()));

        let (gone, mut present) = self.differing(git())?;
        let mut removed = self.recorded_below(git(), exclude)?;
        removed.extend(gone);
        self.remove(git(), &removed)?;
        // They would be added again otherwise.
        present.retain(|path| !removed.contains(path));
        present.extend(self.untracked(&[], exclude)?);
        self.record(git(), &present)?;

        // A clone may lack objects on purpose.
        let mut command = git();
        command.args(["write-tree", "--missing-ok"]);
        self.object_id(command)
    }

    /// Returns the tracked files that may differ from the index: the deleted ones, and the others.
    fn differing(&self, mut command: GitCommand) -> Result<(Vec<RawPath>, Vec<RawPath>), RunError> {
        command.args(["diff-files", "-z", "--name-status", "--no-renames"]);
        command.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]);
        let stdout = self.finish(command)?;
        let (mut gone, mut present) = (Vec::new(), Vec::new());
        let mut parts = split(&stdout);
        while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
            let files = if status == b"D" { &mut gone } else { &mut present };
            files.push(path.to_vec());
        }
        Ok((gone, present))
    }

    /// Returns the tracked files at or below one of the paths.
    fn recorded_below(
        &self,
        mut command: GitCommand,
        paths: &[String],
    ) -> Result<BTreeSet<RawPath>, RunError> {
        let paths: Vec<_> = folders(paths).map(str::to_owned).collect();
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        command.args(["ls-files", "-z", "--cached"]).paths(pathspecs(&paths, &[]));
        Ok(split(&self.finish(command)?).map(<[u8]>::to_vec).collect())
    }

    fn remove(&self, mut command: GitCommand, paths: &BTreeSet<RawPath>) -> Result<(), RunError> {
        if paths.is_empty() {
            return Ok(());
        }
        // Unlike `--remove`, this accepts a path below a symbolic link.
        command.args(["update-index", "-z", "--force-remove", "--stdin"]);
        feed(command, self.top(), &joined(paths)).map(drop)
    }
}

/// A path relative to the top of the worktree, as bytes.
pub(crate) type RawPath = Vec<u8>;

impl Repo {
    /// Returns the files that are neither in the index nor ignored.
    ///
    /// A nested repository is left out, with all its files.
    pub(crate) fn untracked(
        &self,
        paths: &[String],
        exclude: &[String],
    ) -> Result<Vec<RawPath>, RunError> {
        let mut command = self.git_with(["ls-files", "-z", "--others", "--exclude-standard"]);
        command.paths(pathspecs(paths, exclude));
        let stdout = self.finish(command)?;
        let files = split(&stdout).filter(|path| !path.ends_with(b"/"));
        Ok(files.map(<[u8]>::to_vec).collect())
    }

    /// Returns the size of a file in bytes, 0 if it does not exist.
    pub(crate) fn size(&self, path: &[u8]) -> u64 {
        let path = self.top().join(path_from_bytes(path));
        fs::symlink_metadata(path).map_or(0, |entry| entry.len())
    }

    /// Adds files as they are on disk to the index of `command`, or removes those that no longer
    /// exist.
    pub(crate) fn record(
        &self,
        mut command: GitCommand,
        files: &[RawPath],
    ) -> Result<(), RunError> {
        if files.is_empty() {
            return Ok(());
        }
        command.args(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]);
        feed(command, self.top(), &joined(files)).map(drop)
    }
}

/// Returns paths as input for `-z --stdin`.
pub(crate) fn joined<'a>(paths: impl IntoIterator<Item = &'a RawPath>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| path.iter().copied().chain([0])).collect()
}
